import { randomUUID } from 'node:crypto'
import {
  ApiError,
  badParameter,
  duplicate,
  type ListAnswer,
  type ListQuery,
  notFound,
  parseTimestamp,
  type RouteBody,
} from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { listPage, type Scope } from '@tutti/storage'
import { type Actor, ownTenantScope, requirePermission, tenantOf, tenantScope } from '../actor.ts'
import { answerItem } from '../owned.ts'
import {
  addToCounters,
  deleteOperation,
  type ExecutionRef,
  findExecution,
  inExecution,
  inGraph,
  insertFreeOperations,
  insertGraph,
  lockOperation,
  type NewOperation,
  notInternal,
  operationResource,
  tasksGraphResource,
} from './queries.ts'
import { checkOwnToken, isCounted, isTerminated } from './update.ts'

export type OperationsOf = {
  readonly graphId: string | undefined
  readonly executionId: string | undefined
  readonly skipInternal: boolean
}

/** The operations of one graph or of one execution (docs/reference/operations-resource.md). */
export async function listOperations(actor: Actor, list: ListQuery, of: OperationsOf): Promise<ListAnswer> {
  const { graphId, executionId } = of
  if ((graphId === undefined) === (executionId === undefined)) {
    throw badParameter('Pass exactly one of graph_id and execution_id')
  }
  if (graphId !== undefined) await getTasksGraph(actor, graphId)
  if (executionId !== undefined) await requireExecution(actor, executionId, tenantScope(actor))
  const filters = list.filters.map((filter) =>
    filter.field === 'state'
      ? { ...filter, values: filter.values.map((value) => String(value).toLowerCase()) }
      : filter,
  )
  return listPage(actor.services.db, operationResource, { ...list, filters }, tenantScope(actor), [
    ...(graphId === undefined ? [] : [inGraph(graphId)]),
    ...(executionId === undefined ? [] : [inExecution(executionId)]),
    ...(of.skipInternal ? [notInternal] : []),
  ])
}

/** @throws not_found_error */
export const getOperation = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, operationResource, id, include)

/** The graphs of one execution. @throws bad_parameters_error when none is named */
export async function listTasksGraphs(actor: Actor, list: ListQuery): Promise<ListAnswer> {
  if (!list.filters.some(({ field }) => field === 'execution_id')) {
    throw badParameter('execution_id is required to list tasks graphs')
  }
  return listPage(actor.services.db, tasksGraphResource, list, tenantScope(actor))
}

/** @throws not_found_error */
export const getTasksGraph = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, tasksGraphResource, id, include)

/** Stores a graph with its operations; returns its id. @throws not_found_error, conflict_error */
export async function createTasksGraph(
  actor: Actor,
  transaction: Transaction,
  body: RouteBody<'tasksGraphs.create'>,
): Promise<string> {
  if (body.created_at != null) requirePermission(actor, 'set_timestamp')
  const execution = await requireOwnExecution(actor, body.execution_id)
  const id = body.graph_id ?? randomUUID()
  const { username } = actor.caller
  const operations = (body.operations ?? []).map((operation) => ({
    ...operation,
    state: operation.state ?? 'pending',
  }))
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
  const inserted = await insertFreeOperations(
    transaction,
    { ...execution, createdBy: username },
    id,
    operations,
  )
  const taken = operations.find((operation) => !inserted.has(operation.id))
  if (taken !== undefined) throw duplicate('Operation', taken.id, tenantOf(actor).name)
  return id
}

/** Appends an operation to a graph. @throws not_found_error, conflict_error */
export async function createOperation(
  actor: Actor,
  transaction: Transaction,
  id: string,
  body: RouteBody<'operations.create'>,
): Promise<void> {
  const { item: graph } = await getTasksGraph(actor, body.graph_id, ['execution_id'])
  const execution = await requireOwnExecution(actor, String(graph.execution_id))
  const { name, type, dependencies, parameters } = body
  const operation = { id, name, type, dependencies, parameters, state: body.state ?? 'pending' }
  await addToCounters(transaction, execution, ...counted([operation]))
  const { username } = actor.caller
  const inserted = await insertFreeOperations(
    transaction,
    { ...execution, createdBy: username },
    body.graph_id,
    [operation],
  )
  if (!inserted.has(id)) throw duplicate('Operation', id, tenantOf(actor).name)
}

/** @throws not_found_error */
export async function removeOperation(actor: Actor, transaction: Transaction, id: string): Promise<void> {
  const tenantId = tenantOf(actor).id
  const operation = await lockOperation(transaction, tenantId, id, ownTenantScope(actor))
  if (operation === undefined) throw notFound('Operation', id)
  checkActsFor(actor, { id: operation.executionId, createdBy: operation.executionCreatedBy })
  const [total, finished] = counted([operation])
  await addToCounters(transaction, { tenantId, id: operation.executionId }, -total, -finished)
  await deleteOperation(transaction, tenantId, id)
}

/** What operations add to `total_operations` and `finished_operations`. */
function counted(operations: readonly Pick<NewOperation, 'type' | 'state'>[]): readonly [number, number] {
  const all = operations.filter(isCounted)
  return [all.length, all.filter(({ state }) => isTerminated(state)).length]
}

/** @throws not_found_error */
async function requireExecution(actor: Actor, id: string, scope: Scope): Promise<ExecutionRef> {
  const execution = await findExecution(actor.services.db, scope, id)
  if (execution === undefined) throw notFound('Execution', id)
  return execution
}

/** Graphs and operations are written in the request's own tenant only. @throws not_found_error, forbidden_error */
async function requireOwnExecution(actor: Actor, id: string): Promise<ExecutionRef> {
  const execution = await requireExecution(actor, id, ownTenantScope(actor))
  checkActsFor(actor, execution)
  return execution
}

/**
 * What an execution does it does with the rights of whoever started it: others see its operations and, where they may
 * start executions, say how they went, but not what they are.
 *
 * @throws forbidden_error
 */
function checkActsFor(actor: Actor, execution: Pick<ExecutionRef, 'id' | 'createdBy'>): void {
  checkOwnToken(actor, execution.id)
  const { caller, rights } = actor
  if (execution.createdBy === caller.username || rights.holds('set_owner')) return
  throw new ApiError(
    'forbidden_error',
    `User \`${caller.username}\` is not permitted to add or remove operations of execution ${execution.id}, ` +
      'which acts for another user',
  )
}
