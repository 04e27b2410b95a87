import { placeSubgraph } from './build-graph.ts'
import { noteInsert, notePatch, noteRemoval } from './changes.ts'
import { type GraphState, makeReady } from './graph-state.ts'
import type { SubgraphStep } from './step.ts'
import { misplaced } from './stored-handlers.ts'
import { isPython, isTerminated, type StoredOperation } from './stored-operation.ts'
import { isWithin, newTask, type Task } from './task.ts'

/** How to describe the new run of a failed subgraph; null when it is not to be run anew. */
export function rerunOf(state: GraphState, subgraph: Task): (() => SubgraphStep) | null {
  const { on_failure: handler, current_retries, total_retries } = subgraph.parameters
  if (handler === null || isPython(handler)) return null
  switch (handler.path) {
    case 'rerun_lifecycle': {
      const { rerunLifecycle } = state.options
      if (rerunLifecycle === undefined) return null
      if (total_retries >= 0 && current_retries >= total_retries) return null
      return () => rerunLifecycle(handler, state.instances)
    }
    case 'heal_failed':
    case 'update_failed':
      return null
    case 'ignore':
    case 'store_check':
      throw misplaced(subgraph, handler)
  }
}

/**
 * Puts a new run in the place of a failed subgraph (docs/reference/workflows.md, "Failures"): whatever waited for the
 * old one, or for a task in it that never ran, waits for the new one.
 */
export function rerunSubgraph(state: GraphState, failed: Task, describe: () => SubgraphStep): void {
  const container = failed.container ?? state.root
  const rows: StoredOperation[] = []
  const id = placeSubgraph(describe(), {
    container: container === state.root ? null : container.id,
    after: failed.dependencies,
    rows,
    newId: state.options.newId,
    retryOf: { id: failed.id, currentRetries: failed.parameters.current_retries + 1 },
  })
  replaceSubgraph(state, failed, rows, id)
}

/** `rows`, one of which is `id`, take the place of a failed subgraph. */
export function replaceSubgraph(
  state: GraphState,
  failed: Task,
  rows: readonly StoredOperation[],
  id: string,
): void {
  const container = failed.container ?? state.root
  for (const row of rows) insertRow(state, row, container)
  const successor = state.tasks.get(id)
  if (successor === undefined) return
  successor.dependants = failed.dependants
  failed.dependants = []
  abandon(state, failed, failed, successor)
  makeReady(state, successor)
}

/** `rows` come with containers and dependencies before those who need them. */
function insertRow(state: GraphState, row: StoredOperation, outermost: Task): void {
  const containerId = row.parameters.containing_subgraph
  const container = (containerId === null ? undefined : state.tasks.get(containerId)) ?? outermost
  const task = newTask(row, container)
  state.tasks.set(task.id, task)
  container.children.push(task)
  container.open += 1
  // The outermost row's dependencies are done: the subgraph that it replaces had started.
  if (row.parameters.retried_task === null) {
    for (const id of row.dependencies) {
      state.tasks.get(id)?.dependants.push(task)
      task.waiting += 1
    }
  }
  noteInsert(state.changes, task)
}

/** Removes what never ran in a failed subgraph. */
function abandon(state: GraphState, subgraph: Task, failed: Task, successor: Task): void {
  for (const child of subgraph.children) {
    abandon(state, child, failed, successor)
    if (isTerminated(child.state)) continue
    for (const dependant of child.dependants) {
      if (isWithin(dependant, failed)) continue
      dependant.dependencies = dependant.dependencies.map((id) => (id === child.id ? successor.id : id))
      successor.dependants.push(dependant)
      notePatch(state.changes, dependant, true)
    }
    child.status = 'ended'
    state.tasks.delete(child.id)
    noteRemoval(state.changes, child)
  }
}
