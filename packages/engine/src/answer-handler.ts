import { enter, fail, leave, leaveDone, noteFailureIn, succeed } from './end-task.ts'
import type { GraphEvent, HandlerAnswer } from './graph-event.ts'
import type { GraphState } from './graph-state.ts'
import type { OperationError, OperationOutcome } from './operation-error.ts'
import { replaceSubgraph } from './rerun-subgraph.ts'
import { hasRetriesLeft, retryTask } from './retry-task.ts'
import { isSubgraph, type Task } from './task.ts'
import { WorkflowError } from './workflow.ts'

type AnsweredEvent = Extract<GraphEvent, { type: 'handler-answered' }>

/** A second answer, or one that nobody has asked for, changes nothing. */
export function answerHandler(state: GraphState, { operationId, answer, atMs }: AnsweredEvent): void {
  const task = state.asked.get(operationId)
  if (task === undefined || state.outcome !== null) return
  state.asked.delete(operationId)
  const outcome = outcomeOf(task)
  const { answer: _, ...parameters } = task.parameters
  task.parameters = parameters
  if (answer.action === 'retry' && (answer.ignoresTotal || hasRetriesLeft(task))) {
    again(state, task, outcome, answer, atMs)
  } else if (answer.action === 'done') {
    passOver(state, task, outcome, atMs)
  } else {
    const error = outcome.ok ? failedByHandler(task) : outcome.error
    if (isSubgraph(task)) noteFailureIn(state, task, atMs)
    fail(state, task, error, atMs)
  }
}

function outcomeOf({ parameters, failedChild }: Task): OperationOutcome {
  if (parameters.answer !== undefined) return parameters.answer
  if (failedChild === null) return { ok: true, result: null }
  return { ok: false, error: failedChild.parameters.error ?? unknownError }
}

const unknownError: OperationError = {
  kind: 'non-recoverable',
  type: 'NonRecoverableError',
  message: 'The failed operation left no error',
}

const failedByHandler = ({ name }: Task): OperationError => ({
  kind: 'non-recoverable',
  type: 'NonRecoverableError',
  message: `The handler of ${name} has failed it`,
})

function passOver(state: GraphState, task: Task, outcome: OperationOutcome, atMs: number): void {
  if (outcome.ok) {
    succeed(state, task, atMs, outcome.result)
    return
  }
  task.parameters = { ...task.parameters, ignored: true }
  enter(state, task, 'failed', 'task_failed', atMs, { error: outcome.error })
  leaveDone(state, task, atMs)
}

function again(
  state: GraphState,
  task: Task,
  outcome: OperationOutcome,
  { retryAfterMs, again: rows = [] }: Extract<HandlerAnswer, { action: 'retry' }>,
  atMs: number,
): void {
  const [first] = rows
  if (isSubgraph(task) && first === undefined) {
    throw new WorkflowError(`The handler of subgraph ${task.name} asks for another run and gives none.`)
  }
  if (outcome.ok) enter(state, task, 'succeeded', 'task_succeeded', atMs, { result: outcome.result })
  else enter(state, task, 'failed', 'task_failed', atMs, { error: outcome.error })
  if (!isSubgraph(task) || first === undefined) {
    retryTask(state, task, atMs, retryAfterMs)
    return
  }
  leave(task)
  const retry = { retried_task: task.id, current_retries: task.parameters.current_retries + 1 }
  const placed = { ...first, dependencies: task.dependencies, parameters: { ...first.parameters, ...retry } }
  replaceSubgraph(state, task, [placed, ...rows.slice(1)], first.id)
}
