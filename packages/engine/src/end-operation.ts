import { holdForHandler, isAsked } from './ask-handler.ts'
import { enter, fail, failIgnored, succeed } from './end-task.ts'
import type { GraphEvent } from './graph-event.ts'
import type { GraphState } from './graph-state.ts'
import type { JsonValue } from './json.ts'
import type { OperationError } from './operation-error.ts'
import { isFalsy } from './python-text.ts'
import { hasRetriesLeft, retryTask } from './retry-task.ts'
import { misplaced } from './stored-handlers.ts'
import { ownHandler, type StoreCheck } from './stored-operation.ts'
import type { Task } from './task.ts'

type EndedEvent = Extract<GraphEvent, { type: 'operation-ended' }>

/** An executor's answer. One for an operation that is not running is a duplicate and changes nothing. */
export function endOperation(state: GraphState, event: EndedEvent): void {
  const task = state.running.get(event.operationId)
  if (task === undefined) return
  const { outcome, atMs } = event
  // Killed by a cancel request: no answer at all. A resume may run it again.
  if (!outcome.ok && outcome.error.kind === 'killed' && state.record.cancel !== null) {
    state.running.delete(task.id)
    return
  }
  noteStart(state, task, event.startedAtMs ?? atMs)
  state.running.delete(task.id)
  if (isAsked(task, outcome)) {
    holdForHandler(state, task, outcome)
  } else if (!outcome.ok) {
    endInError(state, task, outcome.error, atMs)
  } else if (task.parameters.on_success?.path === 'retry_until_truthy' && isFalsy(outcome.result)) {
    enter(state, task, 'succeeded', 'task_succeeded', atMs, { result: outcome.result })
    retryTask(state, task, atMs)
  } else {
    const handler = ownHandler(task.parameters.on_success)
    if (handler?.path === 'store_check') noteCheck(state, task, handler, true, outcome.result, atMs)
    succeed(state, task, atMs, outcome.result)
  }
}

/** docs/reference/nodes-and-instances.md, "Checks" */
function noteCheck(
  { changes }: GraphState,
  task: Task,
  { node_instance_id: nodeInstanceId, property: path }: StoreCheck,
  ok: boolean,
  result: JsonValue,
  atMs: number,
): void {
  const value = { ok, timestamp: new Date(atMs).toISOString(), task: task.id, result }
  changes.systemProperties.push({ nodeInstanceId, path, value })
}

/** An executor began with the operation. */
export function noteStart(state: GraphState, task: Task | undefined, atMs: number): void {
  if (task === undefined || !state.running.has(task.id)) return
  if (task.state === 'sent' || task.state === 'sending') enter(state, task, 'started', 'task_started', atMs)
}

/** docs/reference/workflows.md, "Failures". */
function endInError(state: GraphState, task: Task, error: OperationError, atMs: number): void {
  const ignoredOn = nodeInstanceOfIgnored(task)
  const check = checkOf(task)
  if (error.kind === 'retry') {
    if (!hasRetriesLeft(task)) {
      if (check !== null) noteCheck(state, task, check, false, error.message, atMs)
      fail(state, task, error, atMs)
      return
    }
    enter(state, task, 'rescheduled', 'task_rescheduled', atMs, { error })
    retryTask(state, task, atMs, error.retryAfterMs)
  } else if (ignoredOn !== null) {
    if (check !== null) noteCheck(state, task, check, false, error.message, atMs)
    failIgnored(state, task, ignoredOn, error, atMs)
  } else if (isRetried[error.kind] && hasRetriesLeft(task)) {
    enter(state, task, 'failed', 'task_failed', atMs, { error })
    retryTask(state, task, atMs, error.retryAfterMs)
  } else {
    if (check !== null) noteCheck(state, task, check, false, error.message, atMs)
    fail(state, task, error, atMs)
  }
}

function checkOf({ parameters }: Task): StoreCheck | null {
  const handler = ownHandler(parameters.on_failure)
  return handler?.path === 'store_check' ? handler : null
}

const isRetried: Readonly<Record<OperationError['kind'], boolean>> = {
  recoverable: true,
  retry: true,
  'non-recoverable': false,
  killed: false,
}

/** Where the failure is reported that the operation's handler has ignored; null when it is not ignored. */
function nodeInstanceOfIgnored(task: Task): string | null {
  const handler = ownHandler(task.parameters.on_failure)
  switch (handler?.path) {
    case undefined:
      return null
    case 'ignore':
      return handler.node_instance_id
    case 'store_check':
      return handler.ignores_failure ? handler.node_instance_id : null
    case 'heal_failed':
    case 'update_failed':
    case 'rerun_lifecycle':
      throw misplaced(task, handler)
  }
}
