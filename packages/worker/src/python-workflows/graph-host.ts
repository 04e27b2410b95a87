import { randomUUID } from 'node:crypto'
import {
  type CancelMode,
  type Commit,
  createGraph,
  type ExecutionStore,
  type GraphEvent,
  type GraphOptions,
  type GraphOutcome,
  type OperationsLeft,
  type RunControl,
  runGraph,
  type StoredGraph,
} from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import { type ExecutionControl, untilLost } from '../executions/control.ts'
import { inPieces } from '../executions/in-pieces.ts'
import { createOperationRunner } from '../executions/operation-runner.ts'
import type { WorkerServices } from '../services.ts'
import { createAudience } from './audience.ts'
import type { Listener } from './listener.ts'
import { withOwnTasks } from './own-tasks.ts'

/** A graph that runs for a workflow in Python, whichever process of it there is, and while there is none. */
export type LiveGraph = {
  readonly id: string
  report(event: GraphEvent): void
  /** Settles when it has ended; it rejects as `runGraph` does. */
  readonly ended: Promise<GraphOutcome>
  /** Whether one of its rows is a function that runs in the process, or a handler that is asked there. */
  awaits(row: string): boolean
  /** From now on the process is told of it, and of what has come before; `tasks` are its names of rows. */
  join(tasks: ReadonlyMap<string, string>): Promise<void>
  /** Its process is gone. */
  leave(): void
  /** What the process calls a row, as it has given it. */
  name(row: string, task: string): void
}

export type GraphHost = {
  start(graph: StoredGraph, options: Omit<GraphOptions, 'newId'>, isTold: boolean): Promise<LiveGraph>
  readonly live: ReadonlyMap<string, LiveGraph>
  /** Operations of graphs that were cancelled and that still run. */
  readonly left: OperationsLeft | null
  /** Nothing more is started in any graph; those that ran are as if they had been cancelled. */
  stop(mode: CancelMode): void
  /** There will be no process any more: what only that can do keeps no graph from its end. */
  giveUp(): void
  /** Resolves when no graph runs. */
  rest(): Promise<void>
  /** Called whenever something has happened to the execution or its operations. */
  /** Answers how not to be called any more. */
  onWake(wake: () => void): () => void
  /** Called when a graph could not be gone on with: instead of whoever was called before. */
  onFailure(failed: (error: unknown) => void): void
  close(): void
}

const longestSleepMs = 60_000

export function createGraphHost(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  token: string,
  store: ExecutionStore,
  listener: Listener,
): GraphHost {
  const live = new Map<string, LiveGraph>()
  const left: OperationsLeft[] = []
  const wakers = new Set<() => void>()
  /** Of graphs that run, and of those with operations that are left. */
  const givingUp = new Set<(isCancelled: boolean) => void>()
  let stopMode: CancelMode | null = null
  let tellFailure: (error: unknown) => void = () => {}
  /** One step at a time: they are counted. */
  let storing: Promise<unknown> = Promise.resolve()

  const wake = () => {
    for (const waker of [...wakers]) waker()
  }
  control.wake = wake

  const graphControl: RunControl = {
    get cancelMode() {
      return control.cancelMode ?? stopMode
    },
    get endsLeft() {
      return control.endsLeft
    },
    set endsLeft(value) {
      control.endsLeft = value
    },
    lost: control.lost,
    get isDraining() {
      return control.isDraining
    },
    get isOutOfTime() {
      return control.isOutOfTime
    },
  }

  async function untilWoken(atMs: number | null): Promise<void> {
    const sleepMs =
      atMs === null ? longestSleepMs : Math.min(longestSleepMs, Math.max(0, atMs - services.now()))
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, sleepMs)
    wakers.add(resolve)
    await promise
    clearTimeout(timer)
    wakers.delete(resolve)
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = storing.then(work)
    storing = turn.catch(() => undefined)
    return turn
  }

  return {
    live,
    get left() {
      if (left.length === 0) return null
      return {
        done: Promise.all(left.map(({ done }) => done)).then(() => undefined),
        drop: async () => {
          await Promise.all(left.map((one) => one.drop()))
        },
      }
    },
    async start(graph, options, isTold) {
      let report: (event: GraphEvent) => void = () => {}
      const audience = createAudience(listener, isTold)
      const isLeft = () => control.isOutOfTime && graphControl.cancelMode === null
      const own = withOwnTasks(listener, audience, services.now, isLeft)
      const state = await inPieces(
        control,
        createGraph(graph.operations, graph.record, { ...options, newId: randomUUID }),
      )
      givingUp.add(own.giveUp)
      audience.begin(graph.operations)
      const storeStep = (commit: Commit) =>
        inTurn(async () => {
          await untilLost(control, listener.room())
          if (options.dryRun !== true || commit.events.length > 0) await store.storeStep(graph.id, commit)
          audience.tell(commit)
        })
      const ended = runGraph(state, storeStep, {
        control: graphControl,
        now: services.now,
        untilWoken,
        openOperations(to) {
          report = (event) => {
            to(event)
            wake()
          }
          return own.around(createOperationRunner(services, execution, control, token, report), report)
        },
      }).then((end) => {
        if (end.left === null) givingUp.delete(own.giveUp)
        else left.push(end.left)
        return end.outcome
      })
      const one: LiveGraph = {
        id: graph.id,
        report: (event) => report(event),
        ended,
        awaits: own.awaits,
        async join(tasks) {
          audience.join(tasks)
          own.tellAgain()
        },
        leave: () => audience.leave(),
        name: (row, task) => audience.name(row, task),
      }
      live.set(graph.id, one)
      const over = () => {
        live.delete(graph.id)
        wake()
      }
      ended.then(over, (error) => {
        over()
        tellFailure(error)
      })
      return one
    },
    stop(mode) {
      stopMode = mode
      wake()
    },
    giveUp() {
      const mode = graphControl.cancelMode
      // Before what is given up: that has not failed then, and a resume finds it as it was.
      if (mode !== null) for (const one of live.values()) one.report({ type: 'cancel-requested', mode })
      for (const give of givingUp) give(mode !== null)
    },
    async rest() {
      while (live.size > 0) await Promise.allSettled([...live.values()].map(({ ended }) => ended))
    },
    onWake(waker) {
      wakers.add(waker)
      return () => void wakers.delete(waker)
    },
    onFailure(failed) {
      tellFailure = failed
    },
    close() {
      wakers.clear()
      control.wake = () => {}
    },
  }
}
