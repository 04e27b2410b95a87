import { type Changes, noChanges } from './changes.ts'
import type { GraphOutcome, GraphRecord } from './commit.ts'
import type { DueQueue } from './due-queue.ts'
import type { NodeInstanceChange } from './node-instance-change.ts'
import type { SubgraphStep } from './step.ts'
import type { RerunHandler } from './stored-operation.ts'
import type { Task } from './task.ts'

export type GraphOptions = {
  readonly newId: () => string
  /** How long independent branches may go on after the first failure. */
  readonly waitAfterFailMs: number
  /** Nothing is run or stored, every operation succeeds at once (docs/reference/workflows.md, "Dry run"). */
  readonly dryRun?: boolean
  /** Describes the new run of a failed lifecycle subgraph; without it such a subgraph just fails. */
  readonly rerunLifecycle?: RerunLifecycle
  /** Whether tasks of the graph may add and remove node instances. */
  readonly changesNodeInstances?: boolean
  /** Functions of a workflow in Python may be handlers: they are asked. */
  readonly asksHandlers?: boolean
  /** Rows keep what their operations came to. */
  readonly keepsResults?: boolean
  /**
   * It goes on until it is closed, and no failure in it is its own: tasks are added one by one by somebody who waits for
   * each.
   */
  readonly staysOpen?: boolean
  /** Operations that one call of `reduce` starts at most: the bound of a transaction's size. */
  readonly batchSize?: number
}

export type RerunLifecycle = (handler: RerunHandler, since: InstancesSince) => SubgraphStep

/** What a graph has made of the node instances since it was restored; of all else the model holds. */
export type InstancesSince = {
  readonly changes: readonly NodeInstanceChange[]
  readonly states: ReadonlyMap<string, string>
}

/**
 * A live graph. To everyone but the reducer it is opaque: `reduce` updates it in place, so that an event
 * costs the same in a graph of ten and of ten thousand operations, and the caller goes on with the
 * returned value only. What is not committed is lost with it, and `createGraph` makes an equal one from
 * what was committed.
 */
export type GraphState = {
  readonly options: GraphOptions
  readonly tasks: Map<string, Task>
  /** Rows that others had taken the place of when the graph was restored, with the ids of those. */
  readonly superseded: Map<string, string>
  /** Stands for the whole graph: the container of the outermost tasks. */
  readonly root: Task
  /** Tasks that may start, in order. `readyFrom` is the first that has not been taken. */
  readonly ready: Task[]
  readyFrom: number
  /** Tasks that may start later. */
  readonly due: DueQueue<Task>
  /** Handed to an executor, not ended. */
  readonly running: Map<string, Task>
  /** Their handlers are asked. */
  readonly asked: Map<string, Task>
  /** Was running when the graph was restored. */
  readonly lost: Task[]
  /** Subgraphs of a restored graph that may have come to their end. */
  readonly unsettled: Task[]
  readonly instances: {
    readonly changes: NodeInstanceChange[]
    readonly states: Map<string, string>
  }
  record: GraphRecord
  outcome: GraphOutcome | null
  isClosed: boolean
  changes: Changes
}

export function makeReady(state: GraphState, task: Task): void {
  task.status = 'active'
  if (task.container !== null) task.container.active += 1
  state.ready.push(task)
}

export function takeReady(state: GraphState): Task | undefined {
  const task = state.ready[state.readyFrom]
  if (task === undefined) {
    state.ready.length = 0
    state.readyFrom = 0
    return undefined
  }
  state.readyFrom += 1
  return task
}

export function hasReady(state: GraphState): boolean {
  return state.readyFrom < state.ready.length
}

export function setRecord(state: GraphState, changed: Partial<GraphRecord>): void {
  state.record = { ...state.record, ...changed }
  state.changes.record = state.record
}

/** Hands over what was collected and begins anew. */
export function takeChanges(state: GraphState): Changes {
  const { changes } = state
  state.changes = noChanges()
  return changes
}
