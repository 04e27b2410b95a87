import { ApiError, isEndStatus } from '@tutti/api'
import { setExecutionStatus } from '@tutti/domain/executions'
import { type WorkflowEnd, workflowEnded, workflowStarted } from '@tutti/engine'
import {
  checkLease,
  type ExecutionRow,
  executionEvents,
  insertEvents,
  type Transaction,
} from '@tutti/storage'
import { cancelModeOf, type ExecutionControl } from '../executions/control.ts'
import { eventRows } from '../executions/event-rows.ts'
import type { WorkerServices } from '../services.ts'

/**
 * Marks a system workflow as started, once; whoever takes it over after a crash begins it again from the start. False
 * when it was cancelled before: then only its end is left to write.
 */
export async function beginSystemWorkflow(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
): Promise<boolean> {
  return services.db.transaction().execute(async (transaction) => {
    const { status } = await checkLease(transaction, control.lease)
    if (status !== 'pending') return cancelModeOf(status) === null
    await setExecutionStatus(transaction, control.lease, { status: 'started' })
    const event = workflowStarted(
      execution.workflow_id,
      { resume: execution.resume, dryRun: false },
      services.now(),
    )
    await insertEvents(
      transaction,
      executionEvents(execution),
      eventRows([event], () => null),
    )
    return true
  })
}

/** A change on the way, made only while the execution is still this worker's. */
export async function changeWhileHeld<T>(
  services: WorkerServices,
  control: ExecutionControl,
  change: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return services.db.transaction().execute(async (transaction) => {
    await checkLease(transaction, control.lease)
    return change(transaction)
  })
}

type Change = (transaction: Transaction) => Promise<void>

export type SystemEnd = {
  /** Why it failed; undefined when it did not. */
  readonly error?: string
  /** What it leaves behind; not when it was cancelled. */
  readonly change?: Change
  /** What takes the execution's own row away; not when it was cancelled either. */
  readonly afterwards?: Change
  /** What is left behind instead when it was cancelled meanwhile. */
  readonly undo?: Change
}

/**
 * The last transaction of a system workflow: its results, its end and what may start now, together. A cancel request
 * that came before it wins: nothing of the results is kept. Results that what is stored by now does not allow make it
 * fail instead.
 */
export async function endSystemWorkflow(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  end: SystemEnd,
): Promise<void> {
  try {
    await storeEnd(services, execution, control, end)
  } catch (refusal) {
    if (!(refusal instanceof ApiError)) throw refusal
    await storeEnd(services, execution, control, {
      error: refusal.message,
      ...(end.undo !== undefined && { undo: end.undo }),
    })
  }
}

async function storeEnd(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  { error, change, afterwards, undo }: SystemEnd,
): Promise<void> {
  const status = await services.db.transaction().execute(async (transaction) => {
    const { status: current } = await checkLease(transaction, control.lease)
    // By an earlier try whose answer got lost, or by somebody's word through the API.
    if (isEndStatus(current)) return current
    const isCancelled = cancelModeOf(current) !== null
    const end: WorkflowEnd = isCancelled
      ? { status: 'cancelled' }
      : error === undefined
        ? { status: 'succeeded' }
        : { status: 'failed', error }
    const event = workflowEnded(execution.workflow_id, end, { dryRun: false }, services.now())
    await insertEvents(
      transaction,
      executionEvents(execution),
      eventRows([event], () => null),
    )
    await (isCancelled ? undo : change)?.(transaction)
    const stored = end.status === 'succeeded' ? 'terminated' : end.status
    await setExecutionStatus(transaction, control.lease, {
      status: stored,
      ...(end.status === 'failed' && { error: end.error }),
    })
    if (!isCancelled) await afterwards?.(transaction)
    return stored
  })
  services.log.info(
    { execution_id: execution.id, workflow: execution.workflow_id, status },
    'execution ended',
  )
}
