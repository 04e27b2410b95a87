import { createHash, randomBytes } from 'node:crypto'
import { isEndStatus } from '@tutti/api'
import { type EvaluatedTargets, storeTargets } from '@tutti/domain/dependencies'
import { checkAtStart, setExecutionStatus } from '@tutti/domain/executions'
import {
  runWorkflow,
  Stopped,
  type WorkflowEnd,
  WorkflowError,
  workflowEnded,
  workflowStarted,
} from '@tutti/engine'
import {
  checkLease,
  type ExecutionRow,
  executionEvents,
  insertEvents,
  LeaseLost,
  publicReason,
  readHeld,
} from '@tutti/storage'
import { runPythonWorkflow } from '../python-workflows/index.ts'
import type { WorkerServices } from '../services.ts'
import { targetsOf } from '../system/dependency-targets.ts'
import { findSystemWorkflow } from '../system/index.ts'
import { mappedWorkflow } from '../system/mapped-workflow.ts'
import { findUpdateWorkflow } from '../updates/index.ts'
import { cancelModeOf, type ExecutionControl } from './control.ts'
import { eventRows } from './event-rows.ts'
import { createRunner, storedRun } from './execution-runner.ts'
import { setParameters, setToken } from './queries.ts'
import { whileHeld } from './while-held.ts'

/**
 * Runs an execution whose lease was just taken, to its end or until another worker has it. Everything that it writes
 * is in transactions that check the lease. When the database goes away, it waits and goes on from what is stored, as
 * another worker would. Never rejects.
 */
export async function runExecution(
  services: WorkerServices,
  taken: ExecutionRow,
  control: ExecutionControl,
): Promise<void> {
  const fields = {
    execution_id: taken.id,
    workflow: taken.workflow_id,
    deployment: taken.deployment_id,
    // As the log lines of that request have it.
    reqId: taken.request_id,
  }
  try {
    let known: ExecutionRow | undefined = taken
    await whileHeld(services, control, async () => {
      const execution = known ?? (await readHeld(services.db, control.lease))
      known = undefined
      if (isEndStatus(execution.status)) return
      control.step = execution.step
      await attempt(services, execution, control, fields)
    })
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof Stopped) {
      services.counts.executionsLeft.inc()
      services.log.info({ ...fields, why: error.message }, 'execution left to another worker')
    } else if (error instanceof WorkflowError) {
      await endFailed(services, taken, control, error.message)
    } else {
      services.log.error({ ...fields, err: error }, 'execution failed inside the worker')
      await endFailed(services, taken, control, publicReason(error))
    }
  }
}

async function attempt(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const system = findSystemWorkflow(execution.workflow_id)
  if (system !== undefined) {
    services.log.info(fields, 'execution started')
    await system(services, execution, control)
    return
  }
  const checked = await checkAtStart(services.db, execution)
  if (!checked.ok) {
    const error = `Error dequeueing execution: ${checked.error}`
    await finish(services, execution, control, { status: 'failed', error })
    services.log.info({ ...fields, error }, 'execution not started')
    return
  }
  const ready = { ...execution, parameters: checked.parameters }
  const token = await begin(services, ready, control)
  services.log.info({ ...fields, resumed: execution.status !== 'pending' }, 'execution started')
  const mapped =
    (await findUpdateWorkflow(services, ready, control)) ?? (await mappedWorkflow(services.db, ready))
  const { end, left } =
    'operation' in mapped
      ? await runPythonWorkflow(services, ready, control, token, mapped)
      : await runWorkflow(storedRun(ready, mapped), createRunner(services, ready, control, token))
  if (left === null) {
    const done = async () => finish(services, execution, control, end, await targetsOf(services, execution))
    // Another attempt would run the whole function again.
    await ('operation' in mapped ? whileHeld(services, control, done) : done())
    services.log.info({ ...fields, status: end.status }, 'execution ended')
    return
  }
  try {
    // Here, not around the whole attempt: another one would not know of the operations that this one has left.
    await whileHeld(services, control, async () =>
      finish(services, execution, control, end, await targetsOf(services, execution), true),
    )
    control.keepsLease = true
    services.log.info({ ...fields, status: end.status }, 'execution ended; operations of it still run')
    services.waiting.ask()
    services.environments.ask()
    await left.done
    services.log.info(fields, 'operations of a cancelled execution ended')
  } catch (error) {
    await left.drop()
    throw error
  }
}

/** A new token for each worker that takes the execution, and once the status and event of its start. */
async function begin(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await services.db.transaction().execute(async (transaction) => {
    const hash = createHash('sha256').update(token).digest('hex')
    const { status } = await setToken(transaction, control.lease, hash)
    control.cancelMode ??= cancelModeOf(status)
    if (status !== 'pending') return
    if (execution.checks_at_start) await setParameters(transaction, control.lease, execution.parameters)
    await setExecutionStatus(transaction, control.lease, { status: 'started' })
    const event = workflowStarted(
      execution.workflow_id,
      { resume: execution.resume, dryRun: execution.is_dry_run },
      services.now(),
    )
    await insertEvents(
      transaction,
      executionEvents(execution),
      eventRows([event], () => null),
    )
  })
  return token
}

const endStatus = { succeeded: 'terminated', failed: 'failed', cancelled: 'cancelled' } as const

async function finish(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  end: WorkflowEnd,
  targets?: EvaluatedTargets,
  keepsLease = false,
): Promise<void> {
  await services.db.transaction().execute(async (transaction) => {
    const { status } = await checkLease(transaction, control.lease)
    // By an earlier try whose answer got lost, or by somebody's word through the API.
    if (isEndStatus(status)) return
    // A cancel request that came after the last task: nothing was left to cancel, but the answer must be its own.
    const own: WorkflowEnd =
      end.status === 'succeeded' && cancelModeOf(status) !== null ? { status: 'cancelled' } : end
    const error = await storeTargets(transaction, execution, targets, new Date(services.now()))
    const actual: WorkflowEnd =
      own.status === 'succeeded' && error !== undefined ? { status: 'failed', error } : own
    const event = workflowEnded(
      execution.workflow_id,
      actual,
      { dryRun: execution.is_dry_run },
      services.now(),
    )
    await insertEvents(
      transaction,
      executionEvents(execution),
      eventRows([event], () => null),
    )
    await setExecutionStatus(transaction, control.lease, {
      status: endStatus[actual.status],
      keepsLease,
      ...(actual.status === 'failed' && { error: actual.error }),
    })
  })
}

async function endFailed(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  error: string,
): Promise<void> {
  try {
    await whileHeld(services, control, () =>
      finish(services, execution, control, { status: 'failed', error }),
    )
  } catch (failure) {
    services.log.warn(
      { execution_id: execution.id, err: failure },
      'the failure could not be stored; it will be found again',
    )
  }
}
