import type { Node, NodeInstance } from '@tutti/api'
import { ClientError } from '@tutti/client'
import { type Command, Option } from 'commander'
import { renderFields } from '../output/fields.ts'
import { statusColumn, textColumn } from './columns.ts'
import { addCommand, addGroup, type Program } from './command.ts'
import { addListCommand } from './list-command.ts'

export function addTopologyCommands(parent: Command, program: Program): void {
  const nodes = addGroup(parent, 'nodes', 'Nodes of deployments', 'tutti nodes list -d web-1')
  addListCommand<Node>(nodes, program, {
    noun: 'nodes',
    description: 'List nodes',
    examples: ['tutti nodes list -d web-1'],
    options: [new Option('-d, --deployment-id <id>', 'only those of this deployment')],
    filters: (options) => ({ deployment_id: options.text('deploymentId') }),
    columns: () => [
      textColumn('id', ({ id }) => id),
      textColumn('deployment', ({ deployment_id: deployment }) => deployment),
      textColumn('type', ({ type }) => type),
      textColumn('host', ({ host_id: host }) => host),
      textColumn('instances', (node) => `${node.number_of_instances}/${node.planned_number_of_instances}`),
    ],
    fetch: (client, query) => client.nodes.list({ query }),
  })
  addCommand(nodes, program, {
    usage: 'get <deployment> <node>',
    description: 'Show a node',
    examples: ['tutti nodes get web-1 server'],
    run: async ({ client, printer }, [deployment = '', id = '']) => {
      const { items } = await (await client()).nodes.list({ query: { deployment_id: deployment, id } })
      const [node] = items
      if (node === undefined) throw noNode(deployment, id)
      printer.value(node, renderFields(nodeFields(node), printer.style))
    },
  })

  const instances = addGroup(
    parent,
    'node-instances',
    'Node instances of deployments',
    'tutti node-instances list -d web-1',
  )
  addListCommand<NodeInstance>(instances, program, {
    noun: 'node instances',
    description: 'List node instances',
    examples: ['tutti node-instances list -d web-1', 'tutti node-instances list --filter state=started'],
    options: [
      new Option('-d, --deployment-id <id>', 'only those of this deployment'),
      new Option('--node <name>', 'only those of this node'),
    ],
    filters: (options) => ({
      deployment_id: options.text('deploymentId'),
      node_id: options.text('node'),
    }),
    columns: (style) => [
      textColumn('id', ({ id }) => id),
      textColumn('deployment', ({ deployment_id: deployment }) => deployment),
      textColumn('node', ({ node_id: node }) => node),
      textColumn('host', ({ host_id: host }) => host),
      statusColumn('state', style, ({ state }) => state),
    ],
    fetch: (client, query) => client.nodeInstances.list({ query }),
  })
  addCommand(instances, program, {
    usage: 'get <id>',
    description: 'Show a node instance',
    examples: ['tutti node-instances get server_ab12cd'],
    run: async ({ client, printer }, [id = '']) => {
      const instance = await (await client()).nodeInstances.get(id)
      printer.value(instance, renderFields(instanceFields(instance), printer.style))
    },
  })
}

/** A node is found by a filter, so the manager has no refusal of its own. */
const noNode = (deployment: string, id: string): ClientError =>
  new ClientError({
    status: 404,
    code: 'not_found_error',
    message: `Requested \`Node\` with ID \`${id}\` was not found`,
    hint: `See what there is: tutti nodes list -d ${deployment}`,
    request: `GET /nodes?deployment_id=${deployment}&id=${id}`,
    body: undefined,
  })

const nodeFields = (node: Node): readonly (readonly [string, unknown])[] => [
  ['id', node.id],
  ['deployment', node.deployment_id],
  ['type', node.type],
  ['types above it', node.type_hierarchy.join(', ')],
  ['host', node.host_id],
  ['instances', `${node.number_of_instances} of ${node.planned_number_of_instances}`],
  ['properties', node.properties],
  ['operations', Object.keys(node.operations).join(', ')],
]

const instanceFields = (instance: NodeInstance): readonly (readonly [string, unknown])[] => [
  ['id', instance.id],
  ['deployment', instance.deployment_id],
  ['node', instance.node_id],
  ['host', instance.host_id],
  ['state', instance.state],
  ['runtime properties', instance.runtime_properties],
  ['relationships', instance.relationships.map(({ target_id: target }) => target).join(', ')],
  ['version', instance.version],
]
