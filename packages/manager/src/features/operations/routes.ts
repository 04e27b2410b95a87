import { inTransaction } from '@tutti/domain'
import {
  changeOperation,
  createOperation,
  createTasksGraph,
  getOperation,
  getTasksGraph,
  listOperations,
  listTasksGraphs,
  refreshStored,
  removeOperation,
} from '@tutti/domain/operations'
import type { Handlers } from '../../request.ts'

/** docs/reference/operations-resource.md */
export const operationHandlers = {
  async 'operations.list'(request) {
    const { graph_id: graphId, execution_id: executionId, skip_internal } = request.options
    const of = { graphId, executionId, skipInternal: skip_internal ?? false }
    return listOperations(request, request.list, of)
  },

  'operations.get': (request) => getOperation(request, request.params.operation_id, request.include),

  async 'operations.create'(request) {
    await inTransaction(request, (actor, transaction) =>
      createOperation(actor, transaction, request.params.operation_id, request.body),
    )
    return getOperation(request, request.params.operation_id, request.include)
  },

  async 'operations.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeOperation(actor, transaction, request.params.operation_id, request.body),
    )
    return getOperation(request, request.params.operation_id, request.include)
  },

  'operations.delete': (request) =>
    inTransaction(request, (actor, transaction) =>
      removeOperation(actor, transaction, request.params.operation_id),
    ),

  'operations.act': (request) =>
    inTransaction(request, (actor, transaction) => refreshStored(actor, transaction, request.body)),

  'tasksGraphs.list': (request) => listTasksGraphs(request, request.list),

  async 'tasksGraphs.create'(request) {
    const id = await inTransaction(request, (actor, transaction) =>
      createTasksGraph(actor, transaction, request.body),
    )
    return getTasksGraph(request, id, request.include)
  },

  // The state is not kept: clients only want to be let through.
  'tasksGraphs.update': (request) => getTasksGraph(request, request.params.tasks_graph_id, request.include),
} satisfies Partial<Handlers>
