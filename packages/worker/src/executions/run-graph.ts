import type { Commit, GraphEvent, GraphOutcome, GraphState } from '@tutti/engine'
import { reduce } from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import type { WorkerServices } from '../services.ts'
import { type ExecutionControl, Stopped, untilLost } from './control.ts'
import { createOperationRunner } from './operation-runner.ts'
import { whileHeld } from './while-held.ts'

export type GraphRun = {
  readonly services: WorkerServices
  readonly execution: ExecutionRow
  readonly control: ExecutionControl
  readonly token: string
  readonly graph: GraphState
  /**
   * Stores one step, once, however often it is called for it; rejects with LeaseLost when the execution is another
   * worker's.
   */
  store(commit: Commit, step: number): Promise<void>
}

export type GraphEnd = {
  readonly outcome: GraphOutcome
  /** Operations that were sent before a cancel and are still at work; null when there is none. */
  readonly left: OperationsLeft | null
}

/** They run to their ends, which are recorded, while the execution is over for everybody else. */
export type OperationsLeft = {
  /** Settles when none runs any more; it rejects as `runGraph` does. Nobody has to listen. */
  readonly done: Promise<void>
  /** Ends them at once, with no word about it: the run as a whole has failed. */
  drop(): Promise<void>
}

/**
 * Moves one graph to its end: reduce, store, perform, wait, again (engine README). Answers that come in while a step
 * is being stored make up the next one, so a busy graph costs few transactions. While the database is away,
 * operations run on and their answers wait.
 *
 * @throws Stopped when the execution is left to another worker: it lost its lease, or this worker drains
 */
export async function runGraph(run: GraphRun): Promise<GraphEnd> {
  const { services, control } = run
  let inbox: GraphEvent[] = []
  let state = run.graph
  let requested: ExecutionControl['cancelMode'] = null
  let isKilling = false
  const operations = createOperationRunner(services, run.execution, control, run.token, (event) => {
    inbox.push(event)
    control.wake()
  })
  const isAtRest = () => control.isDraining && operations.running === 0
  const hasNews = () =>
    inbox.length > 0 ||
    control.lost.aborted ||
    isAtRest() ||
    control.cancelMode !== requested ||
    control.isOutOfTime !== isKilling

  async function takeStep() {
    const events = inbox
    inbox = []
    const step = reduce(state, events, services.now(), !control.isDraining)
    state = step.state
    const { commit } = step
    if (commit !== null) {
      const number = control.step + 1
      const stored = whileHeld(services, control, () => run.store(commit, number))
      await untilLost(control, stored)
      control.step = number
    }
    for (const command of step.commands) {
      if (command.type === 'run') operations.start(command.operation, command.resume)
      else operations.kill(command.operationIds)
    }
    return step
  }

  /** Whatever went wrong, nothing of this run may go on without its runner. */
  async function drop() {
    operations.killAll(control.lost.aborted ? 'at once' : 'gently')
    await operations.idle()
  }

  async function recordLeft(): Promise<void> {
    try {
      while (operations.running > 0 || inbox.length > 0) {
        control.lost.throwIfAborted()
        const isKilled = control.cancelMode !== null && control.cancelMode !== 'cancel'
        const isToEnd = control.isOutOfTime || control.endsLeft || isKilled
        if (isToEnd && !isKilling) {
          isKilling = true
          operations.killAll('gently')
        }
        if (inbox.length > 0) await takeStep()
        else await untilWoken(control, null, services.now())
      }
    } catch (error) {
      await drop()
      throw error
    }
  }

  try {
    for (;;) {
      control.lost.throwIfAborted()
      if (isAtRest() && inbox.length === 0) throw new Stopped('this worker drains')
      if (control.isOutOfTime && !isKilling) {
        isKilling = true
        operations.killAll('gently')
      }
      if (control.cancelMode !== null && control.cancelMode !== requested) {
        requested = control.cancelMode
        inbox.push({ type: 'cancel-requested', mode: requested })
      }
      const { outcome, more, wakeAtMs } = await takeStep()
      if (outcome === null) {
        if (!more && !hasNews()) await untilWoken(control, wakeAtMs, services.now())
        continue
      }
      const isLeft = outcome.status === 'cancelled' && requested === 'cancel' && operations.running > 0
      if (!isLeft) return { outcome: await end(outcome, operations), left: null }
      control.endsLeft = false
      const done = recordLeft()
      done.catch(() => undefined)
      return { outcome, left: { done, drop } }
    }
  } catch (error) {
    await drop()
    throw error
  }
}

async function end(
  outcome: GraphOutcome,
  operations: ReturnType<typeof createOperationRunner>,
): Promise<GraphOutcome> {
  if (outcome.status !== 'succeeded') operations.kill(outcome.abandoned)
  await operations.idle()
  return outcome
}

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
