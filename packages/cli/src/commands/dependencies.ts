import { Option } from 'commander'
import { jsonColumn, ownerColumns, textColumn } from './columns.ts'
import type { Noun } from './command.ts'
import type { Listed } from './resource.ts'
import { list } from './verbs.ts'

const dependency: Listed<'dependencies.list'> = {
  plural: 'dependencies',
  columns: [
    textColumn('deployment', ({ source_deployment_id: source }) => source),
    textColumn('depends on', ({ target_deployment_id: target }) => target),
    textColumn('because of', ({ dependency_creator: creator }) => creator),
    jsonColumn('elsewhere', ({ external_source: source, external_target: target }) => source ?? target),
    ...ownerColumns,
  ],
}

export const dependencies: Noun = {
  name: 'dependencies',
  alias: 'inter-deployment-dependencies',
  description: 'What deployments depend on',
  commands: [
    list('dependencies.list', dependency, {
      description: 'List which deployment depends on which, and what in its blueprint says so',
      examples: [
        'tutti deployments dependencies list --source web-1',
        'tutti deployments dependencies list --target database',
      ],
      options: [
        new Option('--source <deployment>', 'only what this deployment depends on'),
        new Option('--target <deployment>', 'only what depends on this deployment'),
      ],
      query: (options) => ({
        source_deployment_id: options.text('source'),
        target_deployment_id: options.text('target'),
      }),
    }),
  ],
}
