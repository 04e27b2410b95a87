import type {
  GraphEvent,
  OperationOutcome,
  OperationRecord,
  RunningOperations,
  StoredOperation,
} from '@tutti/engine'
import { type ExecutionRow, publicReason } from '@tutti/storage'
import { chooseExecutor, givenOperation, refusing } from '../executors/index.ts'
import {
  atOnce,
  type GivenOperation,
  type OperationExecutor,
  type OperationWatch,
  recoverable,
} from '../operations/index.ts'
import type { WorkerServices } from '../services.ts'
import type { ExecutionControl } from './control.ts'

/**
 * Gives operations to their executors, side by side, each in its turn, and reports what becomes of them. Every `start` is
 * answered by one `operation-ended`, whatever happens to its executor; only what this worker leaves to another one,
 * because it drains or has lost its lease, is not answered.
 */
export function createOperationRunner(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  token: string,
  report: (event: GraphEvent) => void,
): RunningOperations {
  const running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>()

  async function run(operation: StoredOperation, isResumed: boolean, abort: AbortController): Promise<void> {
    const choice = chooseExecutor(operation)
    const executor = 'refusal' in choice ? refusing(choice.refusal) : services.executors[choice.executor]
    const name = 'refusal' in choice ? 'none' : choice.executor
    // Killed while it waits, it ends as killed below, without a place.
    const leave = await executor.places?.enter(execution.tenant_id, abort.signal).catch(() => undefined)
    try {
      if (control.isDraining || control.lost.aborted) return
      let startedAtMs: number | undefined
      const started = () => {
        if (startedAtMs !== undefined) return
        startedAtMs = services.now()
        report({ type: 'operation-started', operationId: operation.id, atMs: startedAtMs })
      }
      const said = collectRecords((records) => {
        started()
        report({ type: 'operation-said', records })
      })
      const given = givenOperation(services, execution, token, operation, isResumed)
      const givenAtMs = performance.now()
      const outcome = await perform(services, executor, given, {
        signal: abort.signal,
        started,
        said: said.add,
      })
      // Together with its end: one step stores both.
      said.tell()
      services.counts.operationSeconds.observe(
        { executor: name, outcome: outcome.ok ? 'succeeded' : outcome.error.kind },
        (performance.now() - givenAtMs) / 1_000,
      )
      const isLeft = control.isOutOfTime && !outcome.ok && outcome.error.kind === 'killed'
      if (isLeft) return
      started()
      report({
        type: 'operation-ended',
        operationId: operation.id,
        atMs: services.now(),
        ...(startedAtMs !== undefined && { startedAtMs }),
        outcome,
      })
    } finally {
      leave?.()
      running.delete(operation.id)
      control.wake()
    }
  }

  return {
    start(operation, resume) {
      const abort = new AbortController()
      running.set(operation.id, { abort, done: run(operation, resume, abort) })
    },
    kill(operationIds) {
      for (const id of operationIds) running.get(id)?.abort.abort()
    },
    killAll(how) {
      for (const { abort } of running.values()) abort.abort(how === 'at once' ? atOnce : undefined)
    },
    get running() {
      return running.size
    },
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}

/** So long do records wait for company, as a step of the graph is stored for them; the end of their operation tells them. */
const recordsWaitMs = 100

function collectRecords(tell: (records: readonly OperationRecord[]) => void) {
  let waiting: OperationRecord[] = []
  let timer: NodeJS.Timeout | undefined
  const tellAll = () => {
    clearTimeout(timer)
    timer = undefined
    const records = waiting
    waiting = []
    if (records.length > 0) tell(records)
  }
  return {
    add(records: readonly OperationRecord[]) {
      for (const record of records) waiting.push(record)
      timer ??= setTimeout(tellAll, recordsWaitMs)
    },
    tell: tellAll,
  }
}

/** Whatever becomes of it is an outcome. */
async function perform(
  services: WorkerServices,
  executor: OperationExecutor,
  given: GivenOperation,
  watch: OperationWatch,
): Promise<OperationOutcome> {
  try {
    return await executor.run(given, watch)
  } catch (error) {
    services.log.error(
      { err: error, execution_id: given.execution.id, operation: given.name },
      'operation not run',
    )
    return recoverable(`The worker failed: ${publicReason(error)}`)
  }
}
