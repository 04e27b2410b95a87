import { Option } from 'commander'
import { readValues } from '../input/values.ts'
import { jsonColumn, textColumn } from './columns.ts'
import { type Noun, repeated } from './command.ts'
import type { Answered } from './resource.ts'
import { action, get } from './verbs.ts'

const context: Answered<'providerContext.get'> = {
  plural: 'provider contexts',
  columns: [textColumn('name', ({ name }) => name), jsonColumn('context', ({ context }) => context)],
}

export const providerContext: Noun = {
  name: 'provider-context',
  description: 'What workflows and plugins are told about where the manager runs',
  commands: [
    get('providerContext.get', context, {
      usage: 'get',
      description: 'Show the provider context',
      examples: ['tutti provider-context get', 'tutti provider-context get --json'],
    }),
    action('providerContext.set', {
      usage: 'set <name>',
      description: 'Set the provider context',
      examples: ['tutti provider-context set cloud -c context.yaml --update'],
      options: [
        repeated('-c, --context <name=value|file>', 'part of it, or a YAML or JSON file; may be repeated'),
        new Option('-u, --update', 'in place of the one that there is'),
      ],
      query: (options) => ({ update: options.flag('update') }),
      body: async ([name = ''], options, { environment }) => ({
        name,
        context: await readValues(options.texts('context'), environment.workingFolder),
      }),
      done: ([name]) => `The provider context is ${name}`,
    }),
  ],
}
