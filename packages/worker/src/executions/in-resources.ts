import type { OperationOutcome } from '@tutti/engine'
import { type ExecutionRow, executionEvents, insertEvents, isDatabaseAway } from '@tutti/storage'
import { atOnce, killed } from '../operations/index.ts'
import type { WorkerServices } from '../services.ts'
import { whileAway } from '../while-away.ts'

/** Runs an operation while its blueprint's and its deployment's files are where scripts look for them. */
export async function inResources(
  services: WorkerServices,
  execution: ExecutionRow,
  signal: AbortSignal,
  run: () => Promise<OperationOutcome>,
): Promise<OperationOutcome> {
  const { resources } = services
  if (execution.deployment_id === null) return run()
  const { tenant_id: tenantId, deployment_id: deploymentId } = execution
  // A database that is started again is no failure of the operation.
  const entered = await whileAway(
    () => resources.enter(tenantId, deploymentId),
    () => signal.throwIfAborted(),
  ).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (entered === undefined) return killed
  let outcome: OperationOutcome
  try {
    outcome = await run()
  } catch (error) {
    entered.drop()
    throw error
  }
  // What is killed at once is another worker's to run again, from what was stored before.
  if (signal.reason === atOnce) entered.drop()
  else {
    const heldBy = { executionId: execution.id, fence: execution.lease_fence }
    await tell(services, execution, await entered.leave(heldBy))
  }
  return outcome
}

async function tell(
  services: WorkerServices,
  execution: ExecutionRow,
  message: string | undefined,
): Promise<void> {
  if (message === undefined) return
  const event = { isLog: true, reportedAt: new Date(services.now()), level: 'warning', message } as const
  try {
    await insertEvents(services.db, executionEvents(execution), [event])
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    services.log.warn({ execution_id: execution.id }, message)
  }
}
