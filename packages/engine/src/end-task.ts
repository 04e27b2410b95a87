import { ask, isAsked, isFailureAsked } from './ask-handler.ts'
import { notePatch, noteTermination } from './changes.ts'
import { type GraphState, makeReady, setRecord } from './graph-state.ts'
import type { JsonValue } from './json.ts'
import type { OperationError, OperationOutcome } from './operation-error.ts'
import { rerunOf, rerunSubgraph } from './rerun-subgraph.ts'
import { type NotedFailure, type OperationState, ownHandler } from './stored-operation.ts'
import { isSubgraph, type Task } from './task.ts'
import { nodeEvent, type TaskEventType, taskEvent } from './task-events.ts'

/** Changes a task's state and notes the event of it. */
export function enter(
  state: GraphState,
  task: Task,
  to: OperationState,
  event: TaskEventType | null,
  atMs: number,
  end: { readonly result?: JsonValue; readonly error?: OperationError } = {},
): void {
  task.state = to
  const keptResult = state.options.keepsResults === true && to === 'succeeded' ? (end.result ?? null) : null
  if (end.error !== undefined) task.parameters = { ...task.parameters, error: end.error }
  if (keptResult !== null) task.parameters = { ...task.parameters, result: keptResult }
  notePatch(state.changes, task, end.error !== undefined || keptResult !== null)
  if (to === 'succeeded' || to === 'failed' || to === 'rescheduled') noteTermination(state.changes, task)
  const isUntold = event === null || (state.options.dryRun === true && isSubgraph(task))
  const emitted = isUntold ? null : taskEvent(task, event, atMs, end)
  if (emitted !== null) state.changes.events.push(emitted)
}

export function succeed(state: GraphState, task: Task, atMs: number, result: JsonValue = null): void {
  enter(state, task, 'succeeded', 'task_succeeded', atMs, { result })
  leaveDone(state, task, atMs)
}

/** The task counts as done; the failure is reported on the node instance (docs/reference/workflows.md, "Failures"). */
export function failIgnored(
  state: GraphState,
  task: Task,
  nodeInstanceId: string,
  error: OperationError,
  atMs: number,
): void {
  task.parameters = { ...task.parameters, ignored: true }
  enter(state, task, 'failed', 'task_failed', atMs, { error })
  const text = `Ignoring task ${task.name} failure`
  state.changes.events.push(nodeEvent(nodeInstanceId, text, atMs, task.id))
  leaveDone(state, task, atMs)
}

export function fail(state: GraphState, task: Task, error: OperationError, atMs: number): void {
  enter(state, task, 'failed', 'task_failed', atMs, { error })
  if (!isSubgraph(task) && !isMadeUpFor(state, task)) noteGraphFailure(state, task, atMs)
  const { container } = task
  leave(task)
  if (container === null) return
  container.failedChild ??= task
  settle(state, container, atMs)
}

/**
 * Whether a subgraph around the task will be run anew because of its failure, counts as done in spite of it, or is asked
 * what follows from it.
 */
export function isMadeUpFor(state: GraphState, task: Task): boolean {
  for (let at = task.container; at !== null; at = at.container) {
    if (notedFailureOf(at) !== null || rerunOf(state, at) !== null) return true
    if (isFailureAsked(at) && at.status !== 'ended') return true
  }
  return false
}

function notedFailureOf({ parameters }: Task): NotedFailure | null {
  const handler = ownHandler(parameters.on_failure)
  return handler?.path === 'heal_failed' || handler?.path === 'update_failed' ? handler : null
}

/** The failure that a subgraph fails by is the graph's now. */
export function noteFailureIn(state: GraphState, subgraph: Task, atMs: number): void {
  let culprit = subgraph
  while (culprit.failedChild !== null) culprit = culprit.failedChild
  if (!isMadeUpFor(state, subgraph)) noteGraphFailure(state, culprit, atMs)
}

/** The first failure of a graph starts the clock of `wait_after_fail`. */
function noteGraphFailure(state: GraphState, task: Task, atMs: number): void {
  if (state.options.staysOpen === true) return
  const { failedOperationIds, failDeadlineMs } = state.record
  setRecord(state, {
    failedOperationIds: [...failedOperationIds, task.id],
    failDeadlineMs: failDeadlineMs ?? atMs + state.options.waitAfterFailMs,
  })
}

/** It is no more among what its subgraph waits for. */
export function leave(task: Task): void {
  task.status = 'ended'
  if (task.container === null) return
  task.container.active -= 1
  task.container.open -= 1
}

export function leaveDone(state: GraphState, task: Task, atMs: number): void {
  leave(task)
  for (const dependant of task.dependants) {
    dependant.waiting -= 1
    const mayStart = dependant.status === 'waiting' && dependant.container?.state === 'started'
    if (dependant.waiting === 0 && mayStart) makeReady(state, dependant)
  }
  if (task.container !== null) settle(state, task.container, atMs)
}

/** Ends a subgraph of which nothing is active any more, and which has nothing left or a failure. */
export function settle(state: GraphState, subgraph: Task, atMs: number): void {
  const { failedChild } = subgraph
  if (subgraph === state.root || subgraph.active > 0 || subgraph.status === 'ended') return
  if (failedChild === null) {
    if (subgraph.open > 0) return
    const outcome: OperationOutcome = { ok: true, result: null }
    if (isAsked(subgraph, outcome)) ask(state, subgraph, outcome)
    else succeed(state, subgraph, atMs)
    return
  }
  const error = failedChild.parameters.error ?? unknownError
  const noted = notedFailureOf(subgraph)
  if (noted !== null) {
    failNoted(state, subgraph, noted, error, atMs)
    return
  }
  if (isFailureAsked(subgraph)) {
    ask(state, subgraph, { ok: false, error })
    return
  }
  const rerun = rerunOf(state, subgraph)
  if (rerun === null) {
    fail(state, subgraph, error, atMs)
    return
  }
  enter(state, subgraph, 'failed', 'task_failed', atMs, { error })
  leave(subgraph)
  rerunSubgraph(state, subgraph, rerun)
}

/** Its instance is reinstalled afterwards (docs/reference/workflows.md, "Heal"; docs/reference/deployment-updates.md). */
function failNoted(
  state: GraphState,
  subgraph: Task,
  { path, node_instance_id: nodeInstanceId, execution_id: value }: NotedFailure,
  error: OperationError,
  atMs: number,
): void {
  subgraph.parameters = { ...subgraph.parameters, ignored: true }
  enter(state, subgraph, 'failed', 'task_failed', atMs, { error })
  state.changes.systemProperties.push({ nodeInstanceId, path: [path], value })
  leaveDone(state, subgraph, atMs)
}

const unknownError: OperationError = {
  kind: 'non-recoverable',
  type: 'NonRecoverableError',
  message: 'The failed operation left no error',
}
