import { workflowEnded, workflowStarted } from '@tutti/engine'
import {
  checkLease,
  type Database,
  dequeueExecutions,
  type ExecutionRow,
  insertEvents,
  isEnded,
  setExecutionStatus,
} from '@tutti/storage'
import type { ExecutionControl } from '../executions/control.ts'
import { eventContext, eventRows } from '../executions/event-rows.ts'
import type { WorkerServices } from '../services.ts'

/** Marks a system workflow as started, once; whoever takes it over after a crash begins it again from the start. */
export async function beginSystemWorkflow(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  change: (transaction: Database) => Promise<void> = async () => {},
): Promise<void> {
  await services.db.transaction().execute(async (transaction) => {
    const { status } = await checkLease(transaction, control.lease)
    await change(transaction)
    if (status !== 'pending') return
    await setExecutionStatus(transaction, control.lease, { status: 'started' })
    const event = workflowStarted(execution.workflow_id, { resume: false, dryRun: false }, services.now())
    await insertEvents(
      transaction,
      eventContext(execution),
      eventRows([event], () => null),
    )
  })
}

/** A change on the way, made only while the execution is still this worker's. */
export async function changeWhileHeld<T>(
  services: WorkerServices,
  control: ExecutionControl,
  change: (transaction: Database) => Promise<T>,
): Promise<T> {
  return services.db.transaction().execute(async (transaction) => {
    await checkLease(transaction, control.lease)
    return change(transaction)
  })
}

/**
 * The last transaction of a system workflow: its results, its end and what may start now, together. `afterwards` is for
 * what takes the execution's own row away.
 */
export async function endSystemWorkflow(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  error: string | undefined,
  change: (transaction: Database) => Promise<void> = async () => {},
  afterwards: (transaction: Database) => Promise<void> = async () => {},
): Promise<void> {
  await services.db.transaction().execute(async (transaction) => {
    const { status } = await checkLease(transaction, control.lease)
    // By an earlier try whose answer got lost, or by somebody's word through the API.
    if (isEnded(status)) return
    const end =
      error === undefined ? ({ status: 'succeeded' } as const) : ({ status: 'failed', error } as const)
    const event = workflowEnded(execution.workflow_id, end, { dryRun: false }, services.now())
    await insertEvents(
      transaction,
      eventContext(execution),
      eventRows([event], () => null),
    )
    await change(transaction)
    await setExecutionStatus(transaction, control.lease, {
      status: error === undefined ? 'terminated' : 'failed',
      ...(error !== undefined && { error }),
    })
    await afterwards(transaction)
    await dequeueExecutions(transaction, services.queue)
  })
  services.log.info(
    {
      execution_id: execution.id,
      workflow: execution.workflow_id,
      status: error === undefined ? 'terminated' : 'failed',
    },
    'execution ended',
  )
}
