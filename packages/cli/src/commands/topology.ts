import { ClientError } from '@tutti/client'
import { Option } from 'commander'
import { attributeRuleOptions, readRules } from '../input/filter-rules.ts'
import { jsonColumn, statusColumn, textColumn } from './columns.ts'
import type { Noun } from './command.ts'
import { type Answered, type Listed, renderOne } from './resource.ts'
import { summaryOf } from './summary.ts'
import { get, list } from './verbs.ts'
import { withinOptions, withinQuery } from './within.ts'

const node: Listed<'nodes.list'> = {
  plural: 'nodes',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('deployment', ({ deployment_id: deployment }) => deployment),
    textColumn('type', ({ type }) => type),
    textColumn('host', ({ host_id: host }) => host),
    textColumn('instances', (row) => `${row.number_of_instances}/${row.planned_number_of_instances}`),
  ],
  details: [
    textColumn('types above it', ({ type_hierarchy: types }) => types.join(', ')),
    jsonColumn('properties', ({ properties }) => properties),
    textColumn('operations', ({ operations }) => Object.keys(operations).join(', ')),
  ],
}

const nodeType: Listed<'searches.nodeTypes'> = {
  plural: 'node types',
  columns: [textColumn('type', ({ type }) => type)],
}

export const nodes: Noun = {
  name: 'nodes',
  description: 'Nodes of deployments',
  commands: [
    list('nodes.list', node, {
      description: 'List nodes',
      examples: ['tutti nodes list -d web-1'],
      options: [new Option('-d, --deployment-id <deployment>', 'only those of this deployment')],
      query: (options) => ({ deployment_id: options.text('deploymentId') }),
    }),
    list('searches.nodes', node, {
      usage: 'search',
      description: 'Find nodes of a deployment, or of a blueprint, by rules that must all match',
      examples: [
        'tutti nodes search -d web-1 --attrs-rule "type contains Compute"',
        'tutti nodes search -b web --attrs-rule id=[server,database]',
      ],
      options: [...withinOptions(), ...attributeRuleOptions()],
      query: withinQuery,
      body: async (options, { environment }) => ({
        filter_rules: await readRules(options, environment.workingFolder),
      }),
    }),
    list('searches.nodeTypes', nodeType, {
      usage: 'types',
      description: 'List the types of the nodes of a deployment or a blueprint',
      examples: ['tutti nodes types -d web-1', 'tutti nodes types -b web --search Compute'],
      search: 'their name',
      options: [...withinOptions()],
      query: withinQuery,
      body: async () => ({}),
    }),
    summaryOf('nodes'),
    {
      usage: 'get <deployment> <node>',
      description: 'Show a node',
      examples: ['tutti nodes get web-1 server'],
      run: async ({ client, printer }, [deployment = '', id = '']) => {
        const { items } = await (await client()).nodes.list({ query: { deployment_id: deployment, id } })
        const [found] = items
        if (found === undefined) throw noNode(deployment, id)
        printer.value(found, renderOne(found, node, printer.style))
      },
    },
  ],
}

const instance: Answered<'nodeInstances.get'> = {
  plural: 'node instances',
  columns: [
    textColumn('id', ({ id }) => id),
    textColumn('deployment', ({ deployment_id: deployment }) => deployment),
    textColumn('node', ({ node_id: node }) => node),
    textColumn('host', ({ host_id: host }) => host),
    statusColumn('state', ({ state }) => state),
  ],
  details: [
    jsonColumn('runtime properties', (row) => row.runtime_properties),
    textColumn('relationships', (row) => row.relationships.map(({ target_id: id }) => id).join(', ')),
    textColumn('version', ({ version }) => version),
  ],
}

export const nodeInstances: Noun = {
  name: 'node-instances',
  description: 'Node instances of deployments',
  commands: [
    list('nodeInstances.list', instance, {
      description: 'List node instances',
      examples: ['tutti node-instances list -d web-1', 'tutti node-instances list --filter state=started'],
      options: [
        new Option('-d, --deployment-id <deployment>', 'only those of this deployment'),
        new Option('--node <name>', 'only those of this node'),
      ],
      query: (options) => ({ deployment_id: options.text('deploymentId'), node_id: options.text('node') }),
    }),
    list('searches.nodeInstances', instance, {
      usage: 'search',
      description: 'Find node instances by rules that must all match',
      examples: ['tutti node-instances search --attrs-rule state!=started --attrs-rule deployment_id=web-1'],
      options: attributeRuleOptions(),
      body: async (options, { environment }) => ({
        filter_rules: await readRules(options, environment.workingFolder),
      }),
    }),
    summaryOf('node_instances'),
    get('nodeInstances.get', instance, {
      usage: 'get <node-instance>',
      description: 'Show a node instance',
      examples: ['tutti node-instances get server_ab12cd'],
    }),
  ],
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
