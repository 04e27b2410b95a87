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

/**
 * Moves one graph to its end: reduce, store, perform, wait, again (engine README). Answers that come in while a step
 * is being stored make up the next one, so a busy graph costs few transactions. While the database is away,
 * operations run on and their answers wait.
 *
 * @throws Stopped when the execution is left to another worker: it lost its lease, or this worker drains
 */
export async function runGraph(run: GraphRun): Promise<GraphOutcome> {
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
      if (step.outcome !== null) return await end(step.outcome, operations)
      if (step.more) continue
      if (!hasNews()) await untilWoken(control, step.wakeAtMs, services.now())
    }
  } catch (error) {
    // Whatever went wrong, nothing of this run may go on without its runner.
    operations.killAll(control.lost.aborted ? 'at once' : 'gently')
    await operations.idle()
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
