import { ApiError, notFound, type RouteBody } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { type Actor, ownTenantScope, tenantOf } from '../actor.ts'
import { boundExecution } from '../authentication/index.ts'
import { insertSentEvents } from '../events/index.ts'
import { setInstanceState } from '../node-instances/index.ts'
import { addToCounters, type LockedOperation, lockOperation, updateOperation } from './queries.ts'
import { nodeEvent, stateToSet, taskEvent } from './task-event.ts'

type Update = RouteBody<'operations.update'>

/**
 * Sets an operation's state, with everything that follows from it in the same transaction: counters, task event, and
 * the effects of the stored tasks that the manager itself performs (docs/reference/operations-resource.md, "Changes of
 * state"). The state that it has already changes nothing, so a request may be sent again.
 */
export async function changeOperation(
  actor: Actor,
  transaction: Transaction,
  id: string,
  update: Update,
): Promise<void> {
  const tenantId = tenantOf(actor).id
  const operation = await lockOperation(transaction, tenantId, id, ownTenantScope(actor))
  if (operation === undefined) throw notFound('Operation', id)
  checkOwnToken(actor, operation.executionId)
  await updateOperation(transaction, tenantId, id, {
    state: update.state,
    managerName: update.manager_name ?? null,
    agentName: update.agent_name ?? null,
  })
  const state = update.state.toLowerCase()
  if (state === operation.state.toLowerCase()) return
  await countEnd(transaction, tenantId, operation, state)
  await sendEvents(actor, transaction, operation, { ...update, state })
  if (state === 'succeeded' && operation.type === 'SetNodeInstanceStateTask') {
    const target = stateToSet(operation)
    const { deploymentId } = operation
    if (target && deploymentId !== null) {
      const instance = { tenantId, deploymentId, id: target.instanceId }
      await setInstanceState(transaction, instance, target.state, actor.services.now())
    }
  }
}

/** An execution's token writes its own operations only. @throws forbidden_error */
export function checkOwnToken({ caller }: Actor, executionId: string): void {
  const execution = boundExecution(caller)
  if (execution === undefined || execution.id === executionId) return
  throw new ApiError(
    'forbidden_error',
    `The token of execution ${execution.id} cannot change the operations of execution ${executionId}`,
  )
}

export function isTerminated(state: string): boolean {
  return ['succeeded', 'failed', 'rescheduled'].includes(state.toLowerCase())
}

/** NOP tasks only join others: they are not counted. */
export function isCounted(operation: { readonly type: string }): boolean {
  return operation.type !== 'NOPLocalWorkflowTask'
}

async function countEnd(
  transaction: Transaction,
  tenantId: number,
  operation: LockedOperation,
  state: string,
): Promise<void> {
  if (!isCounted(operation) || isTerminated(operation.state) || !isTerminated(state)) return
  await addToCounters(transaction, { tenantId, id: operation.executionId }, 0, 1)
}

/** Task events are sent for those who run operations, who carry the execution's token; others only write states. */
async function sendEvents(
  actor: Actor,
  transaction: Transaction,
  operation: LockedOperation,
  update: Update,
): Promise<void> {
  const task =
    actor.caller.execution &&
    taskEvent(operation, { ...update, exceptionCauses: update.exception_causes ?? null })
  const isNodeEvent = update.state === 'succeeded' && operation.type === 'SendNodeEventTask'
  const event = isNodeEvent ? nodeEvent(operation) : task
  if (event === undefined) return
  await insertSentEvents(
    transaction,
    { scope: ownTenantScope(actor), executionId: operation.executionId },
    [event],
    { managerName: update.manager_name ?? null, agentName: update.agent_name ?? null },
  )
}
