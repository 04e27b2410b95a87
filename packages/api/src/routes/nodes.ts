import { Type } from 'typebox'
import { JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { Node, nodeFields } from '../shapes/node.ts'
import { route } from './route.ts'

const count = Type.Optional(Type.Integer())

/** What of a node a deployment update sets; a node that is added has an id and a type besides. */
const nodeSettings = {
  type_hierarchy: Type.Optional(Type.Array(Type.String())),
  host_id: Type.Optional(Nullable(Type.String())),
  properties: Type.Optional(JsonObject),
  operations: Type.Optional(JsonObject),
  plugins: Type.Optional(Type.Array(JsonObject)),
  plugins_to_install: Type.Optional(Nullable(Type.Array(JsonObject))),
  relationships: Type.Optional(Type.Array(JsonObject)),
  number_of_instances: count,
  planned_number_of_instances: count,
  deploy_number_of_instances: count,
  min_number_of_instances: count,
  max_number_of_instances: count,
  /** `scalable.properties` gives the counts that are not named. */
  capabilities: Type.Optional(JsonObject),
}

export const NewNode = Type.Object({ id: Type.String(), type: Type.String(), ...nodeSettings })
export const NodePatch = Type.Object({ type: Type.Optional(Type.String()), ...nodeSettings })

/** docs/reference/nodes-and-instances.md, "Nodes". */
export const nodeRoutes = {
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
  'nodes.create': route({
    method: 'POST',
    path: '/nodes',
    since: 'v3.1',
    permission: 'node_update',
    summary: 'Add nodes to a deployment',
    body: Type.Object({ deployment_id: Type.String(), nodes: Type.Array(NewNode) }),
    response: ListOf(Node),
    status: 201,
  }),
  'nodes.update': route({
    method: 'PATCH',
    path: '/nodes/:deployment_id/:node_id',
    since: 'v3.1',
    permission: 'node_update',
    summary: 'Change a node; only for deployment updates',
    body: NodePatch,
    response: 'empty',
    status: 204,
  }),
  'nodes.delete': route({
    method: 'DELETE',
    path: '/nodes/:deployment_id/:node_id',
    since: 'v3.1',
    permission: 'node_delete',
    summary: 'Delete a node with its instances; only for deployment updates',
    response: 'empty',
    status: 204,
  }),
} as const
