import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'
import type { CommandDefinition } from './command.ts'
import { newPlugin } from './plugins-template.ts'

/** `tutti plugins init`: works on files alone, without a manager. */
export const initPlugin: CommandDefinition = {
  usage: 'init <name>',
  description: 'Make a new plugin: a folder with an operation, a workflow and tests of both',
  examples: ['tutti plugins init my-plugin'],
  run: async ({ environment, printer }, [name = '']) => {
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
      throw new UsageError(`${name} is no name of a plugin`, 'Take lower-case words, as in: my-plugin')
    }
    const folder = resolve(environment.workingFolder, name)
    try {
      await mkdir(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      throw new UsageError(`There is a ${name} already`, 'Take another name, or remove it')
    }
    const files = newPlugin(name)
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { flag: 'wx' })
    }
    printer.value(
      { folder, files: Object.keys(files) },
      `${name} is in ${folder}. Test it: python3 -m unittest; pack it: tutti plugins pack ${name}`,
    )
  },
}
