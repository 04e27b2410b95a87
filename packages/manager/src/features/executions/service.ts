import {
  ApiError,
  badParameter,
  isExecutionAction,
  isExecutionStatus,
  type ListQuery,
  notFound,
  parseTimestamp,
} from '@tutti/api'
import {
  type Database,
  dequeueExecutions,
  findItem,
  isEnded,
  listPage,
  notify,
  setExecutionStatus,
} from '@tutti/storage'
import { listScope } from '../../list-scope.ts'
import { type Request, tenantOf, tenantScope } from '../../request.ts'
import {
  deleteEnded,
  executionFilter,
  executionIdIs,
  executionResource,
  lockExecution,
  notSystem,
  setForResume,
} from './queries.ts'
import { type CancelAction, cancelledStatus, checkResumable, checkStatusChange } from './transitions.ts'

/** Executions of system workflows are listed only when asked for (spec/rest-facts-a.md 5). */
export async function listExecutions(request: Request, query: ListQuery, withSystem: boolean) {
  const isFiltered = query.filters.some((filter) => filter.field === 'is_system_workflow')
  const extra = withSystem || isFiltered ? [] : [notSystem]
  return listPage(
    request.services.db,
    executionResource,
    query,
    await listScope(request, query, 'execution_list'),
    extra,
  )
}

export async function getExecution(request: Request, id: string, include?: readonly string[]) {
  const item = await findItem(
    request.services.db,
    executionResource,
    executionIdIs(id),
    tenantScope(request),
    include,
  )
  if (item === undefined) throw notFound('Execution', id)
  return item
}

/** cancel, force-cancel, kill, resume, force-resume, requeue (spec/rest-facts-a.md 13). */
export async function actOnExecution(request: Request, id: string, action: string): Promise<void> {
  if (!isExecutionAction(action)) {
    throw badParameter(
      `Invalid action: ${action}, Valid action values are: cancel, force-cancel, kill, resume, force-resume, requeue`,
    )
  }
  await inTransactionOn(request, id, async (transaction, execution) => {
    switch (action) {
      case 'cancel':
      case 'force-cancel':
      case 'kill':
        return cancel(request, transaction, execution, action)
      case 'resume':
      case 'force-resume':
        return resume(request, transaction, execution, action === 'force-resume')
      case 'requeue':
        return requeue(request, transaction, execution)
    }
  })
}

type Execution = NonNullable<Awaited<ReturnType<typeof lockExecution>>>

async function inTransactionOn(
  request: Request,
  id: string,
  act: (transaction: Database, execution: Execution) => Promise<void>,
): Promise<void> {
  await request.services.db.transaction().execute(async (transaction) => {
    const execution = await lockExecution(transaction, tenantOf(request).id, id)
    if (execution === undefined) throw notFound('Execution', id)
    await act(transaction, execution)
  })
}

async function cancel(
  { services }: Request,
  transaction: Database,
  execution: Execution,
  action: CancelAction,
) {
  const status = cancelledStatus(execution.id, execution.status, action)
  const key = { tenantId: execution.tenant_id, executionId: execution.id }
  await setExecutionStatus(transaction, key, { status })
  if (isEnded(status)) await dequeueExecutions(transaction, services.queue)
  else await notify(transaction, { kind: 'execution_cancel', ...key })
}

async function resume({ services }: Request, transaction: Database, execution: Execution, isForced: boolean) {
  checkResumable(execution.status, isForced)
  const key = { tenantId: execution.tenant_id, executionId: execution.id }
  const mode = isForced ? 'force-resume' : 'resume'
  await setExecutionStatus(transaction, key, { status: 'pending' })
  // A started execution was not ended by anything: its graph goes on as it is stored.
  await setForResume(transaction, key.tenantId, key.executionId, isEnded(execution.status) ? mode : null)
  await services.queue.enqueue(transaction, [key])
}

/** Puts a failed or cancelled execution back in the queue. */
async function requeue({ services }: Request, transaction: Database, execution: Execution) {
  if (!isEnded(execution.status) || execution.status === 'terminated') {
    throw new ApiError(
      'conflict_error',
      `Cannot requeue execution: it is in status ${execution.status}, expected to be one of: failed, cancelled`,
    )
  }
  const key = { tenantId: execution.tenant_id, executionId: execution.id }
  await setForResume(transaction, key.tenantId, key.executionId, 'force-resume')
  await setExecutionStatus(transaction, key, { status: 'queued' })
  await dequeueExecutions(transaction, services.queue)
}

/** PATCH: the status as a worker or an administrator says it is. */
export async function updateStatus(request: Request, id: string, status: string, error: string | undefined) {
  if (!isExecutionStatus(status)) throw badParameter(`Invalid execution status: ${status}`)
  await inTransactionOn(request, id, async (transaction, execution) => {
    checkStatusChange(execution, status)
    if (execution.status === status) return
    const key = { tenantId: execution.tenant_id, executionId: execution.id }
    await setExecutionStatus(transaction, key, { status, ...(error !== undefined && { error }) })
    if (isEnded(status)) await dequeueExecutions(transaction, request.services.queue)
    else if (status.endsWith('cancelling')) await notify(transaction, { kind: 'execution_cancel', ...key })
  })
}

/** DELETE /executions: ended ones, all or by age or but the newest (spec/rest-facts-a.md 13). */
export async function deleteExecutions(
  request: Request,
  query: ListQuery,
  body: { readonly keep_last?: number | null; readonly to_datetime?: string | null },
): Promise<number> {
  const keepLast = body.keep_last ?? undefined
  const before = body.to_datetime ?? undefined
  if (keepLast !== undefined && before !== undefined) {
    throw badParameter(
      'Must provide either a `to_datetime` timestamp or a `keep_last` number of executions to keep, not both',
    )
  }
  if (keepLast !== undefined && keepLast < 1)
    throw badParameter(`keep_last must be 1 or more, got ${keepLast}`)
  const { tenantIds } = await listScope(request, query, 'execution_delete')
  return request.services.db.transaction().execute((transaction) =>
    deleteEnded(
      transaction,
      {
        tenantIds,
        ...(before !== undefined && { createdBefore: parseTimestamp(before) }),
        ...(keepLast !== undefined && { keepLast }),
      },
      query.filters.map(({ field, values }) => executionFilter(field, values)),
    ),
  )
}
