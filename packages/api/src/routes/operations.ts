import { Type } from 'typebox'
import { JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { Operation, operationFields, TasksGraph, tasksGraphFields } from '../shapes/operation.ts'
import { route } from './route.ts'

/**
 * docs/reference/operations-resource.md. Who sees executions reads all this; what is written decides how an
 * execution goes on, so it is for the execution itself and for who may start one.
 */
const StoredOperation = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  state: Type.Optional(Nullable(Type.String())),
  dependencies: Type.Array(Type.String()),
  parameters: JsonObject,
})

export const operationRoutes = {
  'operations.list': route({
    method: 'GET',
    path: '/operations',
    since: 'v3.1',
    permission: 'operations',
    summary: 'List the operations of a tasks graph or an execution',
    list: operationFields,
    query: Type.Object({
      graph_id: Type.Optional(Type.String()),
      execution_id: Type.Optional(Type.String()),
      skip_internal: Type.Optional(Type.Boolean()),
    }),
    response: ListOf(Operation),
    status: 200,
  }),
  'operations.get': route({
    method: 'GET',
    path: '/operations/:operation_id',
    since: 'v3.1',
    permission: 'operations',
    summary: 'Get an operation',
    response: Operation,
    status: 200,
  }),
  'operations.create': route({
    method: 'PUT',
    path: '/operations/:operation_id',
    since: 'v3.1',
    permission: 'execution_start',
    orExecutionToken: true,
    summary: 'Add an operation to a tasks graph',
    body: Type.Object({
      name: Type.String(),
      graph_id: Type.String(),
      type: Type.String(),
      state: Type.Optional(Nullable(Type.String())),
      dependencies: Type.Array(Type.String()),
      parameters: JsonObject,
    }),
    response: Operation,
    status: 201,
  }),
  'operations.update': route({
    method: 'PATCH',
    path: '/operations/:operation_id',
    since: 'v3.1',
    permission: 'execution_start',
    orExecutionToken: true,
    summary: 'Set the state of an operation',
    body: Type.Object({
      state: Type.String(),
      result: Type.Optional(Type.Unknown()),
      exception: Type.Optional(Nullable(Type.String())),
      exception_causes: Type.Optional(Nullable(Type.Array(JsonObject))),
      manager_name: Type.Optional(Nullable(Type.String())),
      agent_name: Type.Optional(Nullable(Type.String())),
    }),
    response: Operation,
    status: 200,
  }),
  'operations.delete': route({
    method: 'DELETE',
    path: '/operations/:operation_id',
    since: 'v3.1',
    permission: 'execution_start',
    orExecutionToken: true,
    summary: 'Delete an operation',
    response: 'empty',
    status: 204,
  }),
  'operations.act': route({
    method: 'POST',
    path: '/operations',
    since: 'v3.1',
    permission: 'execution_start',
    summary: 'Take the inputs of stored operations from their node again (action update-stored)',
    body: Type.Object({
      action: Type.String(),
      deployment_id: Type.String(),
      node_id: Type.String(),
      operation: Type.String(),
      /** `operations`, or `source_operations` or `target_operations` of the relationship `rel_index`. */
      key: Type.Optional(Nullable(Type.String())),
      rel_index: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
    }),
    response: 'empty',
    status: 204,
  }),
  'tasksGraphs.list': route({
    method: 'GET',
    path: '/tasks_graphs',
    since: 'v3.1',
    permission: 'operations',
    summary: 'List the tasks graphs of an execution',
    list: tasksGraphFields,
    response: ListOf(TasksGraph),
    status: 200,
  }),
  'tasksGraphs.create': route({
    method: 'POST',
    path: '/tasks_graphs',
    aliases: ['/tasks_graphs/tasks_graphs'],
    since: 'v3.1',
    permission: 'execution_start',
    orExecutionToken: true,
    summary: 'Store a tasks graph with its operations',
    body: Type.Object({
      execution_id: Type.String(),
      name: Type.String(),
      operations: Type.Optional(Nullable(Type.Array(StoredOperation))),
      created_at: Type.Optional(Nullable(Type.String())),
      graph_id: Type.Optional(Nullable(Type.String())),
    }),
    response: TasksGraph,
    status: 201,
  }),
  'tasksGraphs.update': route({
    method: 'PATCH',
    path: '/tasks_graphs/:tasks_graph_id',
    since: 'v3.1',
    permission: 'execution_start',
    orExecutionToken: true,
    summary: 'Accept the state of a tasks graph (without effect, as clients expect)',
    body: Type.Object({ state: Type.String() }),
    response: TasksGraph,
    status: 200,
  }),
} as const
