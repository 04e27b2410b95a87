import { readTextFile } from '../input/given-file.ts'
import { flagColumn, textColumn, timeColumn } from './columns.ts'
import type { Noun } from './command.ts'
import { type Listed, renderOne } from './resource.ts'
import { action, list } from './verbs.ts'

const license: Listed<'license.list'> = {
  plural: 'licenses',
  columns: [
    textColumn('customer', ({ customer_id: id }) => id ?? 'nobody'),
    textColumn('edition', ({ license_edition: edition }) => edition),
    flagColumn('trial', ({ trial }) => trial),
    timeColumn('expires', ({ expiration_date: time }) => time),
    flagColumn('expired', ({ expired }) => expired),
    textColumn('capabilities', ({ capabilities }) => capabilities.join(', ')),
  ],
}

export const licenses: Noun = {
  name: 'license',
  description: 'The license that clients see: a built-in one, or what was uploaded; Tutti needs none',
  commands: [
    list('license.list', license, { description: 'Show the license', examples: ['tutti license list'] }),
    {
      usage: 'upload <file>',
      description: 'Upload a license file; it takes the place of the one before',
      examples: ['tutti license upload license.yaml'],
      run: async ({ client, environment, printer }, [path = '']) => {
        const text = await readTextFile(environment.workingFolder, path)
        const { call } = await client()
        const uploaded = await call('license.upload', { body: new Blob([text]).stream() })
        printer.value(uploaded, `The license is uploaded\n${renderOne(uploaded, license, printer.style)}`)
      },
    },
    action('license.delete', {
      usage: 'remove',
      description: 'Remove the license',
      examples: ['tutti license remove'],
      done: () => 'The license is removed',
    }),
  ],
}
