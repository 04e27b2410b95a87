import type { Commit, GraphOutcome } from './commit.ts'
import type { CancelMode, GraphEvent } from './graph-event.ts'
import type { GraphState } from './graph-state.ts'
import type { OperationOutcome } from './operation-error.ts'
import { reduce } from './reduce.ts'
import type { StoredOperation } from './stored-operation.ts'

/** What may happen to a running execution from outside; the loop looks here between its steps. */
export type RunControl = {
  readonly cancelMode: CancelMode | null
  /** What still runs of it after it was cancelled is to end now. */
  endsLeft: boolean
  /** Another runner has it now, or may have: stop at once and store nothing. */
  readonly lost: AbortSignal
  /** Start nothing more; what runs may end. */
  readonly isDraining: boolean
  /** What runs has had its time to end. */
  readonly isOutOfTime: boolean
}

/** The operations of one graph that are at work. Each that was started is reported by one `operation-ended`. */
export type RunningOperations = {
  start(operation: StoredOperation, resume: boolean): void
  /** Asks the handler of an operation that has ended, in graphs with `asksHandlers`; reported by `handler-answered`. */
  ask?(operation: StoredOperation, outcome: OperationOutcome): void
  kill(operationIds: readonly string[]): void
  /** `at once`: they may already be run again elsewhere. */
  killAll(how: 'gently' | 'at once'): void
  readonly running: number
  /** Resolves when none runs any more. */
  idle(): Promise<void>
}

/** What moves a graph besides the reducer: clock, waiting, and whoever performs operations. */
export type GraphRunner = {
  readonly control: RunControl
  /** Unix time in ms. */
  now(): number
  /** Resolves at that time (null: at none), and before when something was reported or `control` has changed. */
  untilWoken(atMs: number | null): Promise<void>
  openOperations(report: (event: GraphEvent) => void): RunningOperations
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

/** Thrown out of a run that is to be left to another runner. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/**
 * Moves one graph to its end: reduce, store, perform, wait, again. Answers that come in while a step is being stored
 * make up the next one, so a busy graph costs few transactions.
 *
 * @param store makes one step durable; it is done when this resolves, and the run is over when it rejects
 * @throws Stopped when the execution is left to another runner: it is lost, or this one drains
 */
export async function runGraph(
  graph: GraphState,
  store: (commit: Commit) => Promise<void>,
  runner: GraphRunner,
): Promise<GraphEnd> {
  const { control } = runner
  let inbox: GraphEvent[] = []
  let state = graph
  let requested: CancelMode | null = null
  let isKilling = false
  const operations = runner.openOperations((event) => inbox.push(event))
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
    const step = reduce(state, events, runner.now(), !control.isDraining)
    state = step.state
    if (step.commit !== null) await store(step.commit)
    for (const command of step.commands) {
      if (command.type === 'run') operations.start(command.operation, command.resume)
      else if (command.type === 'ask') operations.ask?.(command.operation, command.outcome)
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
        else await runner.untilWoken(null)
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
        if (!more && !hasNews()) await runner.untilWoken(wakeAtMs)
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

async function end(outcome: GraphOutcome, operations: RunningOperations): Promise<GraphOutcome> {
  if (outcome.status !== 'succeeded') operations.kill(outcome.abandoned)
  await operations.idle()
  return outcome
}
