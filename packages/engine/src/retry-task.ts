import { noteInsert } from './changes.ts'
import { type GraphState, makeReady } from './graph-state.ts'
import { newTask, type Task } from './task.ts'

export function hasRetriesLeft({ parameters }: Task): boolean {
  return parameters.total_retries < 0 || parameters.current_retries < parameters.total_retries
}

/** A retry is a new row in the place of the old one, which has just ended (docs/reference/workflows.md, "Failures"). */
export function retryTask(state: GraphState, task: Task, atMs: number, retryAfterMs?: number): void {
  const { parameters } = task
  const delayMs = retryAfterMs ?? parameters.retry_interval * 1000
  const container = task.container ?? state.root
  const retry = newTask(
    {
      id: state.options.newId(),
      name: task.name,
      type: task.type,
      state: 'pending',
      dependencies: task.dependencies,
      parameters: {
        on_success: parameters.on_success,
        on_failure: parameters.on_failure,
        retried_task: task.id,
        current_retries: parameters.current_retries + 1,
        total_retries: parameters.total_retries,
        retry_interval: parameters.retry_interval,
        send_task_events: parameters.send_task_events,
        info: parameters.info,
        error: null,
        containing_subgraph: parameters.containing_subgraph,
        task_kwargs: parameters.task_kwargs,
        not_before_ms: atMs + delayMs,
      },
    },
    container,
  )
  retry.dependants = task.dependants
  task.dependants = []
  task.status = 'ended'
  state.tasks.set(retry.id, retry)
  container.children.push(retry)
  container.active -= 1
  noteInsert(state.changes, retry)
  makeReady(state, retry)
}
