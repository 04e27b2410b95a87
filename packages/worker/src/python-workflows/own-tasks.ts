import type { GraphEvent, OperationOutcome, RunningOperations, StoredOperation } from '@tutti/engine'
import type { Audience } from './audience.ts'
import type { Listener } from './listener.ts'

/** Tasks and handlers of one graph that are functions of the workflow, and are called in its process. */
export type OwnTasks = {
  /** Those of the graph that run elsewhere, with its own. */
  around(others: RunningOperations, report: (event: GraphEvent) => void): RunningOperations
  awaits(row: string): boolean
  /** A new process is asked again for what the one before has not answered. */
  tellAgain(): void
  /**
   * There will be no process any more: what it was to do ends as killed, and handlers have failed, which a cancelled graph
   * does not wait for.
   */
  giveUp(isCancelled: boolean): void
}

/** What the process does itself; a class of a plugin is named by its path. */
const isOwn = ({ type }: StoredOperation) =>
  type === 'LocalWorkflowTask' || type === 'UpdateExecutionStatusTask' || type.includes('.')

export function withOwnTasks(
  listener: Listener,
  audience: Audience,
  now: () => number,
  isLeft: () => boolean,
): OwnTasks {
  const running = new Map<string, StoredOperation>()
  const asked = new Map<string, OperationOutcome>()
  const waiting = new Set<() => void>()
  let endAll: (isCancelled: boolean) => void = () => {}
  let isGivenUp = false

  function tellRun(rows: readonly string[]): void {
    if (audience.isJoined) listener.send({ run: rows.map((row) => [row, audience.taskOf(row)]) })
  }

  function tellAsk(row: string, outcome: OperationOutcome): void {
    if (audience.isJoined) listener.send({ ask: row, task: audience.taskOf(row), outcome })
  }

  function over(row: string): void {
    running.delete(row)
    asked.delete(row)
    if (running.size > 0) return
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  return {
    around(others, report) {
      const end = (row: string) => {
        if (!running.has(row)) return
        over(row)
        const error = {
          kind: 'killed',
          type: 'ProcessKillCancelled',
          message: 'The task was killed',
        } as const
        report({ type: 'operation-ended', operationId: row, atMs: now(), outcome: { ok: false, error } })
      }
      endAll = (isCancelled) => {
        for (const row of [...running.keys()]) end(row)
        if (isCancelled) return
        for (const row of [...asked.keys()]) {
          over(row)
          report({ type: 'handler-answered', operationId: row, atMs: now(), answer: { action: 'fail' } })
        }
      }
      return {
        start(operation, resume) {
          if (!isOwn(operation)) return others.start(operation, resume)
          running.set(operation.id, operation)
          if (isGivenUp) endAll(false)
          else tellRun([operation.id])
        },
        ask(operation, outcome) {
          asked.set(operation.id, outcome)
          if (isGivenUp) endAll(false)
          else tellAsk(operation.id, outcome)
        },
        kill(rows) {
          others.kill(rows)
          for (const row of rows) end(row)
        },
        killAll(how) {
          others.killAll(how)
          // What is left to another worker has no end: that one has it called again.
          for (const row of [...running.keys()]) isLeft() ? over(row) : end(row)
        },
        get running() {
          return others.running + running.size
        },
        async idle() {
          await others.idle()
          while (running.size > 0) {
            const { promise, resolve } = Promise.withResolvers<void>()
            waiting.add(resolve)
            await promise
          }
        },
      }
    },
    awaits(row) {
      const isAwaited = running.has(row) || asked.has(row)
      // Its answer is on its way to the graph, and there is no second one.
      over(row)
      return isAwaited
    },
    tellAgain() {
      if (running.size > 0) tellRun([...running.keys()])
      for (const [row, outcome] of asked) tellAsk(row, outcome)
    },
    giveUp(isCancelled) {
      isGivenUp = true
      endAll(isCancelled)
    },
  }
}
