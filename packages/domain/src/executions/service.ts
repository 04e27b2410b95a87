import {
  badParameter,
  executionActions,
  isActiveStatus,
  isEndStatus,
  isExecutionAction,
  isExecutionStatus,
  type ListQuery,
  notFound,
  parseTimestamp,
  wireList,
} from '@tutti/api'
import { listPage, notify, recorded, type Transaction } from '@tutti/storage'
import { type Actor, isHiddenFrom, tenantOf, tenantScope } from '../actor.ts'
import { storeTargets } from '../dependencies/index.ts'
import { startingEvaluator } from '../evaluation/index.ts'
import { listScope } from '../list-scope.ts'
import { answerItem } from '../owned.ts'
import { dequeueExecutions } from './dequeue-queries.ts'
import {
  deleteEnded,
  endWhatIsLeft,
  executionFilter,
  executionResource,
  findExecution,
  lockExecution,
  notSystem,
  offerToWorkers,
  setForResume,
  takeFromWorker,
} from './queries.ts'
import { setExecutionStatus } from './status-queries.ts'
import { targetsNow } from './targets.ts'
import {
  type CancelAction,
  cancelledStatus,
  checkRequeueable,
  checkResumable,
  checkStatusChange,
} from './transitions.ts'

/**
 * Executions of system workflows are listed only when asked for; `_search` is not for them
 * (docs/reference/rest-conventions.md, "Field filters").
 */
export async function listExecutions(
  actor: Actor,
  query: ListQuery,
  options: { readonly withSystem: boolean },
) {
  const isFiltered = query.filters.some((filter) => filter.field === 'is_system_workflow')
  return listPage(
    actor.services.db,
    executionResource,
    { ...query, search: undefined },
    await listScope(actor, query, 'execution_list'),
    options.withSystem || isFiltered ? [] : [notSystem],
  )
}

/** @throws not_found_error */
export const getExecution = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, executionResource, id, include)

/** cancel, force-cancel, kill, resume, force-resume, requeue (docs/reference/executions.md). */
export async function actOnExecution(actor: Actor, id: string, action: string): Promise<void> {
  if (!isExecutionAction(action)) {
    throw badParameter(`Invalid action: ${action}, Valid action values are: ${wireList(executionActions)}`)
  }
  await inTransactionOn(actor, id, async (transaction, execution) => {
    switch (action) {
      case 'cancel':
      case 'force-cancel':
      case 'kill':
        return cancel(actor, transaction, execution, action)
      case 'resume':
      case 'force-resume':
        return resume(actor, transaction, execution, action === 'force-resume')
      case 'requeue':
        return requeue(actor, transaction, execution)
    }
  })
}

type Execution = NonNullable<Awaited<ReturnType<typeof lockExecution>>>

async function inTransactionOn(
  actor: Actor,
  id: string,
  act: (transaction: Transaction, execution: Execution) => Promise<void>,
): Promise<void> {
  const { db, queue } = actor.services
  let wasQueued = false
  const done = db.transaction().execute(async (transaction) => {
    const execution = await lockExecution(transaction, tenantOf(actor).id, id)
    if (execution === undefined || isHiddenFrom(actor, execution)) throw notFound('Execution', id)
    wasQueued = execution.status === 'queued'
    await act(transaction, execution)
  })
  try {
    await done
  } catch (error) {
    // Whoever looked for what may start has passed over the locked row: it is up to us to look again.
    if (wasQueued) await db.transaction().execute((transaction) => dequeueExecutions(transaction, queue))
    throw error
  }
}

async function cancel(
  { services }: Actor,
  transaction: Transaction,
  execution: Execution,
  action: CancelAction,
) {
  const status = cancelledStatus(execution, action)
  if (isEndStatus(execution.status)) return endWhatIsLeft(transaction, execution.tenant_id, [execution.id])
  const key = { tenantId: execution.tenant_id, executionId: execution.id }
  await setExecutionStatus(transaction, key, { status })
  if (isEndStatus(status)) await dequeueExecutions(transaction, services.queue)
  else await notify(transaction, { kind: 'execution_cancel', ...key })
}

async function resume(
  { services }: Actor,
  transaction: Transaction,
  execution: Execution,
  isForced: boolean,
) {
  checkResumable(execution, isForced)
  const key = { tenantId: execution.tenant_id, executionId: execution.id }
  const mode = isForced ? 'force-resume' : 'resume'
  await setExecutionStatus(transaction, key, { status: 'pending' })
  // A started execution was not ended by anything: its graph goes on as it is stored.
  await setForResume(
    transaction,
    key.tenantId,
    [key.executionId],
    isEndStatus(execution.status) ? mode : null,
  )
  await services.queue.enqueue(transaction, [key])
  // Should a worker be at it after all, it learns that it is not its any more.
  await notify(transaction, { kind: 'execution_cancel', ...key })
}

/** Puts a failed or cancelled execution back in the queue. */
async function requeue({ services }: Actor, transaction: Transaction, execution: Execution) {
  checkRequeueable(execution)
  const key = { tenantId: execution.tenant_id, executionId: execution.id }
  await setForResume(transaction, key.tenantId, [key.executionId], 'force-resume')
  await setExecutionStatus(transaction, key, { status: 'queued' })
  await dequeueExecutions(transaction, services.queue)
}

/** PATCH: the status as a worker or an administrator says it is. */
export async function changeStatus(
  actor: Actor,
  id: string,
  wanted: string,
  wantedError: string | undefined,
) {
  if (!isExecutionStatus(wanted)) throw badParameter(`Invalid execution status: ${wanted}`)
  const targets = isEndStatus(wanted) ? await targetsOf(actor, id) : undefined
  await inTransactionOn(actor, id, async (transaction, execution) => {
    checkStatusChange(execution, wanted)
    if (execution.status === wanted) return
    const key = { tenantId: execution.tenant_id, executionId: execution.id }
    const { queue } = actor.services
    const failure = await storeTargets(transaction, execution, targets, actor.services.now())
    const isFailed = wanted === 'terminated' && failure !== undefined
    const status = isFailed ? 'failed' : wanted
    const error = isFailed ? failure : wantedError
    await setExecutionStatus(transaction, key, { status, ...(error !== undefined && { error }) })
    // What is only recorded stays so, whatever it is said to be.
    const mayStart = !isActiveStatus(execution.status) && execution.lease_owner !== recorded
    if (isActiveStatus(status) && mayStart) {
      await offerToWorkers(transaction, key.tenantId, key.executionId)
      await queue.enqueue(transaction, [key])
    }
    if (isActiveStatus(execution.status)) {
      // What ends or waits is no worker's any more, whatever it still has to say.
      if (!isActiveStatus(status)) await takeFromWorker(transaction, key.tenantId, key.executionId)
      await notify(transaction, { kind: 'execution_cancel', ...key })
    }
    if (!isActiveStatus(status)) await dequeueExecutions(transaction, queue)
  })
}

/** What the functions among its deployment's dependencies name now, as the caller sees it. */
async function targetsOf(actor: Actor, id: string) {
  const { db } = actor.services
  const execution = await findExecution(db, tenantOf(actor).id, id)
  if (execution === undefined) return undefined
  return targetsNow(startingEvaluator(actor), async () => tenantScope(actor), execution)
}

/** DELETE /executions: ended ones, all or by age or but the newest (docs/reference/executions.md). */
export async function removeExecutions(
  actor: Actor,
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
  const scope = await listScope(actor, query, 'execution_delete')
  return actor.services.db.transaction().execute((transaction) =>
    deleteEnded(
      transaction,
      {
        scope: { ...scope, globalTenantIds: [] },
        ...(before !== undefined && { createdBefore: parseTimestamp(before) }),
        ...(keepLast !== undefined && { keepLast }),
      },
      query.filters.map(({ field, values }) => executionFilter(field, values, scope)),
    ),
  )
}
