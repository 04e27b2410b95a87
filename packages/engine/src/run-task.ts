import { holdForHandler, isAsked } from './ask-handler.ts'
import { pushDue } from './due-queue.ts'
import { enter, settle, succeed } from './end-task.ts'
import { type GraphState, makeReady } from './graph-state.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import { changeOf } from './node-instance-change.ts'
import type { OperationType } from './stored-operation.ts'
import { isSubgraph, type Task } from './task.ts'
import { nodeEvent } from './task-events.ts'

/** Starts a ready task; what needs no executor is completed here and becomes rows of the commit. */
export function startTask(state: GraphState, task: Task, nowMs: number): void {
  const { not_before_ms: notBeforeMs } = task.parameters
  const perform = ownTasks.get(task.type)
  if (notBeforeMs !== undefined && notBeforeMs > nowMs) pushDue(state.due, notBeforeMs, task)
  else if (isSubgraph(task)) startSubgraph(state, task, nowMs)
  else if (perform === undefined) send(state, task, nowMs)
  else {
    perform(state, task, nowMs)
    const outcome = { ok: true, result: null } as const
    if (isAsked(task, outcome)) holdForHandler(state, task, outcome)
    else succeed(state, task, nowMs)
  }
}

function startSubgraph(state: GraphState, task: Task, nowMs: number): void {
  enter(state, task, 'started', 'task_started', nowMs)
  for (const child of task.children) {
    if (child.status === 'waiting' && child.waiting === 0) makeReady(state, child)
  }
  settle(state, task, nowMs)
}

function send(state: GraphState, task: Task, nowMs: number): void {
  enter(state, task, 'sent', 'sending_task', nowMs)
  if (state.options.dryRun === true) {
    enter(state, task, 'started', 'task_started', nowMs)
    succeed(state, task, nowMs)
    return
  }
  state.running.set(task.id, task)
  state.changes.toRun.push({ task, resume: false })
}

type OwnTask = (state: GraphState, task: Task, atMs: number) => void

/** What the reducer does itself. Any other type is handed to an executor, which fails what it does not know. */
const ownTasks: ReadonlyMap<string, OwnTask> = new Map<OperationType, OwnTask>([
  ['NOPLocalWorkflowTask', () => {}],
  ['SetNodeInstanceStateTask', setNodeInstanceState],
  ['SetNodeInstanceStatusTask', setNodeInstanceStatus],
  ['ChangeNodeInstancesTask', changeInstances],
  ['SendNodeEventTask', sendNodeEvent],
  ['SendWorkflowEventTask', sendWorkflowEvent],
])

/** `checkStored` has let through what can be read only. */
function changeInstances({ changes, instances }: GraphState, task: Task): void {
  const change = changeOf(task.parameters.task_kwargs)
  if (change === undefined) return
  instances.changes.push(change)
  changes.nodeInstanceChanges.push(change)
}

function setNodeInstanceState({ changes, instances }: GraphState, task: Task, atMs: number): void {
  const kwargs = task.parameters.task_kwargs
  const nodeInstanceId = text(kwargs.node_instance_id)
  const state = text(kwargs.state)
  instances.states.set(nodeInstanceId, state)
  changes.nodeInstanceStates.push({ nodeInstanceId, state, atMs })
}

function setNodeInstanceStatus({ changes }: GraphState, task: Task, atMs: number): void {
  const { node_instance_id, status } = task.parameters.task_kwargs
  const timestamp = new Date(atMs).toISOString()
  const value = { ...(isJsonObject(status) ? status : {}), timestamp }
  changes.systemProperties.push({ nodeInstanceId: text(node_instance_id), path: ['status'], value })
}

function sendNodeEvent({ changes }: GraphState, task: Task, atMs: number): void {
  const { node_instance_id, event, additional_context } = task.parameters.task_kwargs
  changes.events.push(nodeEvent(text(node_instance_id), text(event), atMs, task.id, additional_context))
}

function sendWorkflowEvent({ changes }: GraphState, task: Task, atMs: number): void {
  const { event, event_type: type, additional_context } = task.parameters.task_kwargs
  const sent = nodeEvent(null, text(event), atMs, task.id, additional_context)
  changes.events.push({ ...sent, type: text(type ?? 'workflow_stage') })
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
