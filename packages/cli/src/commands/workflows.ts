import { Option } from 'commander'
import { readRules } from '../input/filter-rules.ts'
import { flagColumn, textColumn } from './columns.ts'
import type { Noun } from './command.ts'
import { searchOptions } from './filters.ts'
import type { Listed } from './resource.ts'
import { list } from './verbs.ts'

const workflow: Listed<'workflows.list'> = {
  plural: 'workflows',
  columns: [
    textColumn('name', ({ name }) => name),
    textColumn('parameters', ({ parameters }) => Object.keys(parameters).join(', ')),
    flagColumn('available', ({ is_available: isAvailable }) => isAvailable),
  ],
}

export const workflows: Noun = {
  name: 'workflows',
  description: 'What can be run on deployments',
  commands: [
    list('workflows.list', workflow, {
      description: 'List the workflows of a deployment, or of all that fit',
      examples: ['tutti workflows list -d web-1', 'tutti workflows list --filter blueprint_id=web --common'],
      options: [
        new Option('-d, --deployment-id <deployment>', 'only those of this deployment'),
        new Option('--common', 'only those that all of the deployments have'),
      ],
      query: (options) => ({
        id: options.text('deploymentId'),
        _common_only: options.flag('common') ? 'true' : undefined,
      }),
    }),
    list('searches.workflows', workflow, {
      usage: 'search',
      description: 'List the workflows of the deployments that rules find',
      examples: ['tutti workflows search --labels-rule env=prod --common'],
      options: [
        ...searchOptions('deployments'),
        new Option('--common', 'only those that all of the deployments have'),
      ],
      query: (options) => ({
        _filter_id: options.text('filterId'),
        _common_only: options.flag('common') ? 'true' : undefined,
      }),
      body: async (options, { environment }) => ({
        filter_rules: await readRules(options, environment.workingFolder),
      }),
    }),
  ],
}
