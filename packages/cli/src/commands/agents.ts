import { installMethods } from '@tutti/api'
import { Option } from 'commander'
import { ownerColumns, statusColumn, textColumn, timeColumn } from './columns.ts'
import { type Noun, repeated } from './command.ts'
import type { Answered } from './resource.ts'
import { get, list } from './verbs.ts'

const agent: Answered<'agents.get'> = {
  plural: 'agents',
  columns: [
    textColumn('name', ({ name }) => name),
    statusColumn('state', ({ state }) => state),
    textColumn('deployment', ({ deployment_id: deployment }) => deployment),
    textColumn('node instance', ({ node_instance_id: instance }) => instance),
    textColumn('address', ({ ip }) => ip),
    textColumn('install method', ({ install_method: method }) => method),
    textColumn('system', ({ system }) => system),
    textColumn('version', ({ version }) => version),
  ],
  details: [timeColumn('created at', ({ created_at: time }) => time), ...ownerColumns],
  hides: ['rabbitmq_password'],
}

export const agents: Noun = {
  name: 'agents',
  description: 'Agents on the hosts of deployments',
  commands: [
    list('agents.list', agent, {
      description: 'List agents that are started, or all',
      examples: ['tutti agents list', 'tutti agents list --all-states -d web-1'],
      search: 'their name',
      options: [
        repeated('-d, --deployment-id <deployment>', 'only those of this deployment; may be repeated'),
        repeated('--node-id <node>', 'only those of this node; may be repeated'),
        repeated('--node-instance-id <node-instance>', 'only that of this node instance; may be repeated'),
        new Option('--install-method <method>', 'only those installed this way').choices(installMethods),
        new Option('--all-states', 'in every state, not only started ones'),
      ],
      query: (options) => ({
        deployment_id: options.texts('deploymentId'),
        node_ids: options.texts('nodeId'),
        node_instance_ids: options.texts('nodeInstanceId'),
        install_methods: options.text('installMethod'),
        state: options.flag('allStates') ? undefined : 'started',
      }),
    }),
    get('agents.get', agent, {
      usage: 'get <agent>',
      description: 'Show an agent',
      examples: ['tutti agents get server_ab12cd'],
    }),
  ],
}
