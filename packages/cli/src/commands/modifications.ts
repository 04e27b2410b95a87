import { Option } from 'commander'
import { jsonColumn, statusColumn, textColumn, timeColumn } from './columns.ts'
import type { Noun } from './command.ts'
import type { Answered } from './resource.ts'
import { action, get, list } from './verbs.ts'

type Lists = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[] | undefined>>

const idsOf = (lists: Lists, list: string, modification: string) =>
  (lists[list] ?? [])
    .filter((instance) => instance.modification === modification)
    .map(({ id }) => String(id))
    .join(', ')

const modification: Answered<'deploymentModifications.get'> = {
  plural: 'deployment modifications',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('deployment', ({ deployment_id: deployment }) => deployment),
    statusColumn('status', ({ status }) => status),
    textColumn('modified', ({ modified_nodes: nodes }) => Object.keys(nodes).join(', ')),
    timeColumn('created at', ({ created_at: time }) => time),
    timeColumn('ended at', ({ ended_at: time }) => time),
  ],
  details: [
    textColumn('added', ({ node_instances: lists }) => idsOf(lists, 'added_and_related', 'added')),
    textColumn('removed', ({ node_instances: lists }) => idsOf(lists, 'removed_and_related', 'removed')),
    jsonColumn('modified nodes', ({ modified_nodes: nodes }) => nodes),
    jsonColumn('context', ({ context }) => context),
    textColumn('created by', ({ created_by: user }) => user),
  ],
}

export const modifications: Noun = {
  name: 'modifications',
  description: 'Modifications of deployments, which the workflow scale makes',
  commands: [
    list('deploymentModifications.list', modification, {
      description: 'List modifications of deployments',
      examples: ['tutti modifications list -d web-1'],
      search: 'their id',
      options: [new Option('-d, --deployment-id <deployment>', 'only those of this deployment')],
      query: (options) => ({ deployment_id: options.text('deploymentId') }),
    }),
    get('deploymentModifications.get', modification, {
      usage: 'get <modification>',
      description: 'Show a modification',
      examples: ['tutti modifications get 8f0c2a6e-2c2b-4e7e-9f63-2f2f8f7f0a11'],
    }),
    action('deploymentModifications.rollback', {
      usage: 'rollback <modification>',
      description: 'Undo a started modification: all node instances are again as they were before it',
      examples: ['tutti modifications rollback 8f0c2a6e-2c2b-4e7e-9f63-2f2f8f7f0a11'],
      body: () => ({}),
      done: ([id]) => `Modification ${id} is rolled back`,
    }),
    action('deploymentModifications.finish', {
      usage: 'finish <modification>',
      description: 'End a started modification: what it was to remove is removed',
      examples: ['tutti modifications finish 8f0c2a6e-2c2b-4e7e-9f63-2f2f8f7f0a11'],
      body: () => ({}),
      done: ([id]) => `Modification ${id} is finished`,
    }),
  ],
}
