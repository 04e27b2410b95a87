import { noteInsert } from './changes.ts'
import { type GraphState, makeReady } from './graph-state.ts'
import { checkStored } from './stored-handlers.ts'
import type { StoredOperation } from './stored-operation.ts'
import { isDone, newTask, type Task } from './task.ts'
import { WorkflowError } from './workflow.ts'

/**
 * Takes new operations into a running graph: containers and dependencies before those who need them. Rows whose ids the
 * graph knows are there already, so whoever cannot tell whether they were stored gives them again. Once the graph has
 * ended nothing is added, and the commit does not hold them.
 *
 * @throws WorkflowError before anything is changed, when one of them cannot be placed
 */
export function addOperations(state: GraphState, rows: readonly StoredOperation[]): void {
  if (state.outcome !== null) return
  const fresh = rows.filter(({ id }) => !isKnown(state, id))
  const before = new Set<string>()
  for (const row of fresh) {
    checkPlaced(state, row, before)
    before.add(row.id)
  }
  for (const row of fresh) add(state, row)
}

function checkPlaced(state: GraphState, row: StoredOperation, before: ReadonlySet<string>): void {
  checkStored(row, state.options)
  const refuse = (why: string) =>
    new WorkflowError(`Operation ${row.name} (${row.id}) cannot be added: ${why}.`)
  const { containing_subgraph: outer, retried_task: retried } = row.parameters
  if (row.state !== 'pending') throw refuse(`it is ${row.state}, not pending`)
  // Where tasks come one by one, one that has failed is tried again by whoever waits for it.
  if (retried !== null && state.options.staysOpen !== true) throw refuse('it is a retry')
  if (before.has(row.id)) throw refuse('it is given twice')
  for (const id of row.dependencies) {
    if (!isKnown(state, id) && !before.has(id)) throw refuse(`it waits for ${id}, which is not in the graph`)
  }
  if (outer === null || before.has(outer)) return
  const container = state.tasks.get(outer)
  if (container?.type !== 'SubgraphTask') throw refuse(`${outer} is no subgraph of the graph`)
  if (container.status === 'ended') throw refuse(`the subgraph ${container.name} (${outer}) has ended`)
}

function add(state: GraphState, row: StoredOperation): void {
  const { containing_subgraph: outer } = row.parameters
  const container = (outer === null ? undefined : state.tasks.get(outer)) ?? state.root
  const task = newTask(row, container)
  state.tasks.set(task.id, task)
  container.children.push(task)
  container.open += 1
  for (const id of row.dependencies) {
    const dependency = currentOf(state, id)
    if (dependency === undefined || isDone(dependency)) continue
    dependency.dependants.push(task)
    task.waiting += 1
  }
  noteInsert(state.changes, task)
  if (task.waiting === 0 && container.state === 'started') makeReady(state, task)
}

const isKnown = ({ tasks, superseded }: GraphState, id: string) => tasks.has(id) || superseded.has(id)

/** The task that does today what that one was to do: a retry or a new run may have taken its place. */
function currentOf(state: GraphState, id: string): Task | undefined {
  let task = state.tasks.get(state.superseded.get(id) ?? id)
  while (task !== undefined && task.status === 'ended' && !isDone(task)) {
    const next = successorOf(state, task)
    if (next === undefined) return task
    task = next
  }
  return task
}

function successorOf({ tasks }: GraphState, ended: Task): Task | undefined {
  for (let at: Task | null = ended; at !== null; at = at.container) {
    for (const task of tasks.values()) if (task.parameters.retried_task === at.id) return task
  }
  return undefined
}
