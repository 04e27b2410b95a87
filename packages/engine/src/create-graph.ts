import { ask } from './ask-handler.ts'
import { noParameters } from './build-graph.ts'
import { noChanges } from './changes.ts'
import type { GraphRecord } from './commit.ts'
import { newDueQueue } from './due-queue.ts'
import { isMadeUpFor } from './end-task.ts'
import { type GraphOptions, type GraphState, makeReady, setRecord } from './graph-state.ts'
import { type Lineage, lineageOf } from './lineage.ts'
import { checkStored } from './stored-handlers.ts'
import { isInFlight, isTerminated, type StoredOperation } from './stored-operation.ts'
import { isDone, isSubgraph, newTask, type Task } from './task.ts'
import { each, type Work } from './work.ts'

/**
 * The live graph of stored operations, new or restored after a crash (docs/reference/workflows.md, "Resuming"): what is
 * recorded as done stays done, what was in flight is run again by the first `reduce`.
 *
 * @throws WorkflowError when a row cannot be used
 */
export function* createGraph(
  operations: readonly StoredOperation[],
  record: GraphRecord,
  options: GraphOptions,
): Work<GraphState> {
  const root = newTask(rootRow, null)
  root.status = 'active'
  const state: GraphState = {
    options,
    tasks: new Map(),
    superseded: new Map(),
    root,
    ready: [],
    readyFrom: 0,
    due: newDueQueue(),
    running: new Map(),
    asked: new Map(),
    lost: [],
    unsettled: [],
    instances: { changes: [], states: new Map() },
    record,
    outcome: null,
    isClosed: options.staysOpen !== true,
    changes: noChanges(),
  }
  yield* each(operations, (row) => checkStored(row, options))
  const lineage = yield* lineageOf(operations)
  yield* each(operations, (row) => {
    if (lineage.isLive(row)) addTask(state, row, lineage)
    else state.superseded.set(row.id, lineage.current(row.id)?.id ?? '')
  })
  const tasks = () => state.tasks.values()
  yield* each(tasks(), (task) => connect(state, task, lineage))
  yield* each(tasks(), count)
  yield* each(tasks(), (task) => activate(state, task))
  const recorded = new Set(record.failedOperationIds)
  yield* each(tasks(), (task) => catchUp(state, task, recorded))
  return state
}

const rootRow: StoredOperation = {
  id: '',
  name: '',
  type: 'SubgraphTask',
  state: 'started',
  dependencies: [],
  parameters: noParameters,
}

/** Containers first, wherever they stand among the rows. */
function addTask(state: GraphState, row: StoredOperation, lineage: Lineage): Task {
  const known = state.tasks.get(row.id)
  if (known !== undefined) return known
  const outer = row.parameters.containing_subgraph
  const outerRow = outer === null ? undefined : lineage.rows.get(outer)
  const container = outerRow === undefined ? state.root : addTask(state, outerRow, lineage)
  const task = newTask(row, container)
  state.tasks.set(row.id, task)
  container.children.push(task)
  return task
}

/** A dependency on a row that was deleted is no dependency. */
function connect(state: GraphState, task: Task, lineage: Lineage): void {
  if (isTerminated(task.state)) return
  for (const id of task.dependencies) {
    const row = lineage.current(id)
    const dependency = row === undefined ? undefined : state.tasks.get(row.id)
    if (dependency === undefined || isDone(dependency)) continue
    dependency.dependants.push(task)
    task.waiting += 1
  }
}

function count(task: Task): void {
  const { container } = task
  if (!isTerminated(task.state)) {
    if (container !== null) container.open += 1
    return
  }
  task.status = 'ended'
  if (container !== null && !isDone(task)) container.failedChild ??= task
}

function activate(state: GraphState, task: Task): void {
  const { container } = task
  if (container === null || task.status === 'ended') return
  if (isInFlight(task.state)) {
    task.status = 'active'
    container.active += 1
    if (isSubgraph(task)) return
    if (task.parameters.answer !== undefined) {
      ask(state, task, task.parameters.answer)
      return
    }
    state.running.set(task.id, task)
    state.lost.push(task)
  } else if (task.waiting === 0 && container.state === 'started') {
    makeReady(state, task)
  }
}

/** What the reducer commits needs none of this; rows that others wrote through the API may. */
function catchUp(state: GraphState, task: Task, recorded: ReadonlySet<string>): void {
  if (task.status === 'ended') {
    const isRecorded = isDone(task) || isSubgraph(task) || recorded.has(task.id)
    if (isRecorded || isMadeUpFor(state, task)) return
    setRecord(state, { failedOperationIds: [...state.record.failedOperationIds, task.id] })
  } else if (isSubgraph(task) && task.state === 'started') {
    state.unsettled.push(task)
  }
}
