import { pushDue } from './due-queue.ts'
import { enter, settle, succeed } from './end-task.ts'
import { type GraphState, makeReady } from './graph-state.ts'
import type { JsonValue } from './json.ts'
import { isSubgraph, needsExecutor, type Task } from './task.ts'
import { nodeEvent } from './task-events.ts'

/** Starts a ready task; what needs no executor is completed here and becomes rows of the commit. */
export function startTask(state: GraphState, task: Task, nowMs: number): void {
  const { not_before_ms: notBeforeMs } = task.parameters
  if (notBeforeMs !== undefined && notBeforeMs > nowMs) pushDue(state.due, notBeforeMs, task)
  else if (isSubgraph(task)) startSubgraph(state, task, nowMs)
  else if (needsExecutor(task)) send(state, task, nowMs)
  else {
    perform(state, task, nowMs)
    succeed(state, task, nowMs)
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

function perform({ changes, instanceStates }: GraphState, task: Task, atMs: number): void {
  const kwargs = task.parameters.task_kwargs
  switch (task.type) {
    case 'SetNodeInstanceStateTask': {
      const nodeInstanceId = text(kwargs.node_instance_id)
      const instanceState = text(kwargs.state)
      instanceStates.set(nodeInstanceId, instanceState)
      changes.nodeInstanceStates.push({ nodeInstanceId, state: instanceState, atMs })
      break
    }
    case 'SendNodeEventTask': {
      const nodeInstanceId = text(kwargs.node_instance_id)
      changes.events.push(
        nodeEvent(nodeInstanceId, text(kwargs.event), atMs, task.id, kwargs.additional_context),
      )
      break
    }
    case 'SendWorkflowEventTask': {
      const event = nodeEvent(null, text(kwargs.event), atMs, task.id, kwargs.additional_context)
      changes.events.push({ ...event, type: text(kwargs.event_type ?? 'workflow_stage') })
      break
    }
  }
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
