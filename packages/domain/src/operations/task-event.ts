import { type JsonValue, pythonText } from '@tutti/engine'
import type { SentEvent } from '../events/index.ts'
import { objectAt, textAt } from '../json-object.ts'

type Task = {
  readonly name: string
  readonly type: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export type TaskChange = {
  /** In lower case. */
  readonly state: string
  readonly result?: unknown
  readonly exception?: string | null
  readonly exceptionCauses?: readonly unknown[] | null
}

const eventTypes: Readonly<Record<string, string>> = {
  sending: 'sending_task',
  started: 'task_started',
  succeeded: 'task_succeeded',
  rescheduled: 'task_rescheduled',
  failed: 'task_failed',
}

/**
 * The event of an operation's or subgraph's change of state (docs/reference/events.md, "Kinds of events";
 * docs/reference/operations-resource.md, "Changes of state"); undefined where there is none.
 */
export function taskEvent(task: Task, change: TaskChange): SentEvent | undefined {
  const isSubgraph = task.type === 'SubgraphTask'
  const eventType = eventTypes[change.state]
  if (eventType === undefined || (!isSubgraph && task.type !== 'RemoteWorkflowTask')) return undefined
  const { result, exception, exceptionCauses } = change
  const subject = isSubgraph ? 'Subgraph' : 'Task'
  const what =
    eventType === 'sending_task' ? `Sending task '${task.name}'` : `${subject} ${change.state} '${task.name}'`
  const end =
    exception != null ? ` -> ${exception}` : result != null ? ` - ${pythonText(result as JsonValue)}` : ''
  const context = objectAt(objectAt(objectAt(task.parameters, 'task_kwargs'), 'kwargs'), '__cloudify_context')
  return {
    isLog: false,
    eventType,
    message: what + end + retryText(task.parameters),
    operation: textAt(objectAt(context, 'operation'), 'name'),
    nodeInstanceId: textAt(context, 'node_id'),
    errorCauses: exception == null ? undefined : exceptionCauses,
  }
}

/** The event that a stored `SendNodeEventTask` is for. */
export function nodeEvent(task: Task): SentEvent {
  const kwargs = objectAt(task.parameters, 'task_kwargs')
  return {
    isLog: false,
    eventType: 'workflow_node_event',
    message: textAt(kwargs, 'event') ?? '',
    nodeInstanceId: textAt(kwargs, 'node_instance_id'),
  }
}

/** What a stored `SetNodeInstanceStateTask` is for. */
export function stateToSet(task: Task): { readonly instanceId: string; readonly state: string } | undefined {
  const kwargs = objectAt(task.parameters, 'task_kwargs')
  const instanceId = textAt(kwargs, 'node_instance_id')
  const state = textAt(kwargs, 'state')
  return instanceId === null || state === null ? undefined : { instanceId, state }
}

function retryText({ current_retries: current, total_retries: total }: Task['parameters']): string {
  if (typeof current !== 'number' || current <= 0) return ''
  return ` [retry ${current}${typeof total === 'number' && total >= 0 ? `/${total}` : ''}]`
}
