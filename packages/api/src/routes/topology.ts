import { Type } from 'typebox'
import { JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { Node, nodeFields } from '../shapes/node.ts'
import { NodeInstance, nodeInstanceFields } from '../shapes/node-instance.ts'
import { route } from './route.ts'

/** spec/rest-spec-b.md 4.5, spec/rest-facts-b.md 9. */
export const NodeInstancePatch = Type.Object({
  version: Type.Integer({ minimum: 0 }),
  state: Type.Optional(Nullable(Type.String())),
  runtime_properties: Type.Optional(Nullable(JsonObject)),
  system_properties: Type.Optional(Nullable(JsonObject)),
  relationships: Type.Optional(Nullable(Type.Array(JsonObject))),
})

export const topologyRoutes = {
  'nodes.list': route({
    method: 'GET',
    path: '/nodes',
    permission: 'node_list',
    allTenants: true,
    summary: 'List the nodes of deployments',
    list: nodeFields,
    query: Type.Object({
      _evaluate_functions: Type.Optional(Type.Boolean()),
      _instance_context: Type.Optional(Type.String()),
      _instance_counts: Type.Optional(Type.Boolean()),
    }),
    response: ListOf(Node),
    status: 200,
  }),
  'nodeInstances.list': route({
    method: 'GET',
    path: '/node-instances',
    aliases: ['/node_instances'],
    permission: 'node_instance_list',
    allTenants: true,
    summary: 'List node instances',
    list: nodeInstanceFields,
    response: ListOf(NodeInstance),
    status: 200,
  }),
  'nodeInstances.get': route({
    method: 'GET',
    path: '/node-instances/:node_instance_id',
    aliases: ['/node_instances/:node_instance_id'],
    permission: 'node_instance_get',
    summary: 'Get a node instance',
    query: Type.Object({ _evaluate_functions: Type.Optional(Type.Boolean()) }),
    response: NodeInstance,
    status: 200,
  }),
  'nodeInstances.update': route({
    method: 'PATCH',
    path: '/node-instances/:node_instance_id',
    aliases: ['/node_instances/:node_instance_id'],
    permission: 'node_instance_update',
    summary: 'Change the state or the properties of a node instance',
    query: Type.Object({ force: Type.Optional(Type.Boolean()) }),
    body: NodeInstancePatch,
    response: NodeInstance,
    status: 200,
  }),
} as const
