import { Type } from 'typebox'
import { JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { NodeInstance, nodeInstanceFields } from '../shapes/node-instance.ts'
import { route } from './route.ts'

/** docs/reference/nodes-and-instances.md, "Node instances". */
export const NodeInstancePatch = Type.Object({
  version: Type.Integer({ minimum: 0 }),
  state: Type.Optional(Nullable(Type.String())),
  runtime_properties: Type.Optional(Nullable(JsonObject)),
  system_properties: Type.Optional(Nullable(JsonObject)),
  relationships: Type.Optional(Nullable(Type.Array(JsonObject))),
})

export const NewNodeInstance = Type.Object({
  id: Type.String(),
  node_id: Type.String(),
  host_id: Type.Optional(Nullable(Type.String())),
  relationships: Type.Optional(Type.Array(JsonObject)),
  scaling_groups: Type.Optional(Nullable(Type.Array(JsonObject))),
  runtime_properties: Type.Optional(Nullable(JsonObject)),
  system_properties: Type.Optional(Nullable(JsonObject)),
  /** Of one that is restored. */
  state: Type.Optional(Nullable(Type.String())),
  index: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 0x7fffffff }))),
  created_by: Type.Optional(Nullable(Type.String())),
})

export const nodeInstanceRoutes = {
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
  'nodeInstances.create': route({
    method: 'POST',
    path: '/node-instances',
    since: 'v3.1',
    permission: 'node_instance_update',
    summary: 'Add node instances to a deployment; ids that are taken get another ending',
    body: Type.Object({ deployment_id: Type.String(), node_instances: Type.Array(NewNodeInstance) }),
    response: ListOf(NodeInstance),
    status: 201,
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
  'nodeInstances.delete': route({
    method: 'DELETE',
    path: '/node-instances/:node_instance_id',
    since: 'v3.1',
    permission: 'node_instance_delete',
    summary: 'Delete a node instance; only for deployment updates',
    response: 'empty',
    status: 204,
  }),
} as const
