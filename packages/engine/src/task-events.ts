import type { EmittedEvent } from './commit.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import type { OperationError } from './operation-error.ts'
import { pythonText } from './python-text.ts'
import { isSubgraph, operationOf, type Task } from './task.ts'

export type TaskEventType =
  | 'sending_task'
  | 'task_started'
  | 'task_succeeded'
  | 'task_rescheduled'
  | 'task_failed'

/** Operations, and functions of a workflow in Python that run in its own process. */
const isTold: ReadonlySet<string> = new Set(['RemoteWorkflowTask', 'LocalWorkflowTask'])

/**
 * The event of a task's change of state (docs/reference/events.md, "Kinds of events"); null where the task sends none.
 */
export function taskEvent(
  task: Task,
  type: TaskEventType,
  timestampMs: number,
  end: { readonly result?: JsonValue; readonly error?: OperationError } = {},
): EmittedEvent | null {
  const { send_task_events, current_retries, total_retries } = task.parameters
  const subgraph = isSubgraph(task)
  if (!send_task_events || (!subgraph && !isTold.has(task.type))) return null
  const { error, result } = end
  let message = `${subgraph ? 'Subgraph' : 'Task'} ${type.slice('task_'.length)} '${task.name}'`
  if (type === 'sending_task') message = `Sending task '${task.name}'`
  if (error !== undefined) message += ` -> ${error.message}`
  if (result !== undefined && result !== null) message += ` - ${pythonText(result)}`
  if (current_retries > 0) {
    message += ` [retry ${current_retries}${total_retries < 0 ? '' : `/${total_retries}`}]`
  }
  return {
    type,
    timestampMs,
    message,
    ...operationOf(task.parameters),
    operationId: task.id,
    errorCauses: error === undefined ? [] : causes(error),
    additionalContext: null,
  }
}

/** What led to the error, the error itself last; an executor that names causes has named it among them. */
function causes(error: OperationError): EmittedEvent['errorCauses'] {
  if (error.causes !== undefined && error.causes.length > 0) return error.causes
  return [{ message: error.message, type: error.type, traceback: error.traceback ?? null }]
}

export function nodeEvent(
  nodeInstanceId: string | null,
  message: string,
  timestampMs: number,
  operationId: string | null,
  additionalContext: JsonValue = null,
): EmittedEvent {
  return {
    type: 'workflow_node_event',
    timestampMs,
    message,
    operation: null,
    nodeInstanceId,
    operationId,
    errorCauses: [],
    additionalContext: isJsonObject(additionalContext) ? additionalContext : null,
  }
}
