import { notePatch } from './changes.ts'
import type { GraphState } from './graph-state.ts'
import type { OperationOutcome } from './operation-error.ts'
import { isPython } from './stored-operation.ts'
import { isSubgraph, type Task } from './task.ts'

/**
 * Whether a function of the workflow decides what follows from this end (docs/reference/python-workflows.md, "Handlers").
 * Whoever asks to be run again is not asked about it, and what was killed has not ended by itself.
 */
export function isAsked({ parameters }: Task, outcome: OperationOutcome): boolean {
  if (outcome.ok) return isPython(parameters.on_success)
  const { kind } = outcome.error
  return kind !== 'retry' && kind !== 'killed' && isPython(parameters.on_failure)
}

/** The outcome is stored before anybody is asked: whatever dies then, the operation does not run again. */
export function holdForHandler(state: GraphState, task: Task, outcome: OperationOutcome): void {
  task.state = 'response-sent'
  task.parameters = { ...task.parameters, answer: outcome }
  notePatch(state.changes, task, true)
  ask(state, task, outcome)
}

/** A subgraph's outcome is that of what is in it, so nothing needs to be stored. */
export function ask(state: GraphState, task: Task, outcome: OperationOutcome): void {
  if (state.asked.has(task.id)) return
  state.asked.set(task.id, task)
  state.changes.toAsk.push({ task, outcome })
}

/** Whether the failure of something in the subgraph is not yet that of the graph. */
export const isFailureAsked = (subgraph: Task): boolean =>
  isSubgraph(subgraph) && isPython(subgraph.parameters.on_failure)
