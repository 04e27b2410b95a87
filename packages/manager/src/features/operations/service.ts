import { randomUUID } from 'node:crypto'
import {
  ApiError,
  badParameter,
  duplicate,
  type ListQuery,
  notFound,
  parseTimestamp,
  type RouteBody,
} from '@tutti/api'
import { findItem, type ListedPage, listPage } from '@tutti/storage'
import { ownTenantScope, type Request, requirePermission, tenantOf, tenantScope } from '../../request.ts'
import {
  addToCounters,
  deleteOperation,
  type ExecutionRef,
  findExecution,
  graphIdIs,
  inExecution,
  inGraph,
  insertGraph,
  insertOperations,
  lockOperation,
  type NewOperation,
  notInternal,
  operationIdIs,
  operationResource,
  tasksGraphResource,
} from './queries.ts'
import { isCounted, isTerminated, viewerOf } from './update.ts'

export type OperationsOf = {
  readonly graphId: string | undefined
  readonly executionId: string | undefined
  readonly skipInternal: boolean
}

/** The operations of one graph or of one execution (spec/rest-facts-b.md 10). */
export async function listOperations(
  request: Request,
  list: ListQuery,
  of: OperationsOf,
): Promise<ListedPage> {
  const { graphId, executionId } = of
  if ((graphId === undefined) === (executionId === undefined)) {
    throw badParameter('Pass exactly one of graph_id and execution_id')
  }
  if (graphId !== undefined) await getTasksGraph(request, graphId)
  if (executionId !== undefined) await visibleExecution(request, executionId)
  const filters = list.filters.map((filter) =>
    filter.field === 'state'
      ? { ...filter, values: filter.values.map((value) => String(value).toLowerCase()) }
      : filter,
  )
  return listPage(request.services.db, operationResource, { ...list, filters }, tenantScope(request), [
    ...(graphId === undefined ? [] : [inGraph(graphId)]),
    ...(executionId === undefined ? [] : [inExecution(executionId)]),
    ...(of.skipInternal ? [notInternal] : []),
  ])
}

export async function getOperation(request: Request, id: string, include?: readonly string[]) {
  const { db } = request.services
  const item = await findItem(db, operationResource, operationIdIs(id), tenantScope(request), include)
  if (item === undefined) throw notFound('Operation', id)
  return item
}

export async function listTasksGraphs(request: Request, list: ListQuery): Promise<ListedPage> {
  if (!list.filters.some(({ field }) => field === 'execution_id')) {
    throw badParameter('execution_id is required to list tasks graphs')
  }
  return listPage(request.services.db, tasksGraphResource, list, tenantScope(request))
}

export async function getTasksGraph(request: Request, id: string, include?: readonly string[]) {
  const { db } = request.services
  const item = await findItem(db, tasksGraphResource, graphIdIs(id), tenantScope(request), include)
  if (item === undefined) throw notFound('TasksGraph', id)
  return item
}

/** Stores a graph with its operations; returns its id. @throws not_found_error, conflict_error */
export async function createTasksGraph(
  request: Request,
  body: RouteBody<'tasksGraphs.create'>,
): Promise<string> {
  if (body.created_at != null) requirePermission(request, 'set_timestamp')
  const execution = await ownExecution(request, body.execution_id)
  const id = body.graph_id ?? randomUUID()
  const { username } = request.caller
  const operations = (body.operations ?? []).map((operation) => ({
    ...operation,
    state: operation.state ?? 'pending',
  }))
  await request.services.db.transaction().execute(async (transaction) => {
    await addToCounters(transaction, execution, ...counted(operations))
    const isNew = await insertGraph(transaction, execution, {
      id,
      name: body.name,
      createdBy: username,
      createdAt: body.created_at == null ? undefined : parseTimestamp(body.created_at),
    })
    if (!isNew) {
      throw new ApiError(
        'conflict_error',
        `Execution ${execution.id} already has a tasks graph named ${body.name}, or the id ${id} is taken`,
      )
    }
    const inserted = await insertOperations(transaction, execution, id, username, operations)
    const taken = operations.find((operation) => !inserted.has(operation.id))
    if (taken !== undefined) throw duplicate('Operation', taken.id, tenantOf(request).name)
  })
  return id
}

export async function createOperation(
  request: Request,
  id: string,
  body: RouteBody<'operations.create'>,
): Promise<void> {
  const graph = await getTasksGraph(request, body.graph_id, ['execution_id'])
  const execution = await ownExecution(request, String(graph.execution_id))
  const { name, type, dependencies, parameters } = body
  const operation = { id, name, type, dependencies, parameters, state: body.state ?? 'pending' }
  await request.services.db.transaction().execute(async (transaction) => {
    await addToCounters(transaction, execution, ...counted([operation]))
    const { username } = request.caller
    const inserted = await insertOperations(transaction, execution, body.graph_id, username, [operation])
    if (!inserted.has(id)) throw duplicate('Operation', id, tenantOf(request).name)
  })
}

export async function removeOperation(request: Request, id: string): Promise<void> {
  const tenantId = tenantOf(request).id
  await request.services.db.transaction().execute(async (transaction) => {
    const operation = await lockOperation(transaction, viewerOf(request), id)
    if (operation === undefined) throw notFound('Operation', id)
    checkActsFor(request, { id: operation.executionId, createdBy: operation.executionCreatedBy })
    const [total, finished] = counted([operation])
    await addToCounters(transaction, { tenantId, id: operation.executionId }, -total, -finished)
    await deleteOperation(transaction, tenantId, id)
  })
}

/** What operations add to `total_operations` and `finished_operations`. */
function counted(operations: readonly Pick<NewOperation, 'type' | 'state'>[]): readonly [number, number] {
  const all = operations.filter(isCounted)
  return [all.length, all.filter(({ state }) => isTerminated(state)).length]
}

async function visibleExecution(request: Request, id: string): Promise<ExecutionRef> {
  const execution = await findExecution(request.services.db, tenantScope(request), id)
  if (execution === undefined) throw notFound('Execution', id)
  return execution
}

/** Graphs and operations are written in the request's own tenant only. */
async function ownExecution(request: Request, id: string): Promise<ExecutionRef> {
  const execution = await findExecution(request.services.db, ownTenantScope(request), id)
  if (execution === undefined) throw notFound('Execution', id)
  checkActsFor(request, execution)
  return execution
}

/**
 * What an execution does it does with the rights of whoever started it: others see its operations and may say how they
 * went, but not what they are.
 *
 * @throws forbidden_error
 */
function checkActsFor({ caller, rights }: Request, execution: Pick<ExecutionRef, 'id' | 'createdBy'>): void {
  if (execution.createdBy === caller.username || rights.holds('set_owner')) return
  throw new ApiError(
    'forbidden_error',
    `User \`${caller.username}\` is not permitted to add or remove operations of execution ${execution.id}, ` +
      'which acts for another user',
  )
}
