import { randomUUID } from 'node:crypto'
import {
  type JsonObject,
  type PhaseProgress,
  type Runner,
  Stopped,
  type StoredRun,
  type Workflow,
} from '@tutti/engine'
import { type ExecutionRow, isDatabaseAway, LeaseLost, publicReason } from '@tutti/storage'
import { runOnChildren } from '../children/run-on-children.ts'
import type { WorkerServices } from '../services.ts'
import { checkRunnable } from './check-runnable.ts'
import type { ExecutionControl } from './control.ts'
import { createExecutionStore } from './execution-store.ts'
import { inPieces } from './in-pieces.ts'
import { createOperationRunner } from './operation-runner.ts'

/** What the engine runs an execution with here: this worker's database, executors and clock. */
export function createRunner(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  token: string,
): Runner {
  return {
    store: createExecutionStore(services, execution, control),
    control,
    now: services.now,
    newId: randomUUID,
    inPieces: (work) => inPieces(control, work),
    untilWoken: (atMs) => untilWoken(control, atMs, services.now()),
    openOperations: (report) =>
      createOperationRunner(services, execution, control, token, (event) => {
        report(event)
        control.wake()
      }),
    checkRunnable: (operations) => checkRunnable(services, execution, control, operations),
    failureOf(error) {
      const isLeft = error instanceof LeaseLost || error instanceof Stopped || control.lost.aborted
      if (isLeft || isDatabaseAway(error)) return undefined
      services.log.error({ execution_id: execution.id, err: error }, 'execution failed inside the worker')
      return publicReason(error)
    },
    children: ({ workflowId, parameters }) =>
      runOnChildren({ services, execution, control, workflowId, parameters }),
  }
}

/** As the execution is stored, for the engine. */
export const storedRun = (execution: ExecutionRow, workflow: Workflow): StoredRun => ({
  workflow,
  parameters: execution.parameters as JsonObject,
  progress: execution.phase as PhaseProgress | null,
  resumeMode: execution.resume_mode,
  isDryRun: execution.is_dry_run,
})

const longestSleepMs = 60_000

async function untilWoken(control: ExecutionControl, wakeAtMs: number | null, nowMs: number): Promise<void> {
  const sleepMs = wakeAtMs === null ? longestSleepMs : Math.min(longestSleepMs, Math.max(0, wakeAtMs - nowMs))
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, sleepMs)
    control.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
  control.wake = () => {}
}
