import { isJsonObject, type JsonObject } from './json.ts'
import type {
  OperationParameters,
  OperationState,
  OperationType,
  StoredOperation,
} from './stored-operation.ts'

/**
 * A live operation of a graph with what the reducer counts about it. Counters instead of searches: the
 * cost of an event does not grow with the graph. Mutated by the reducer only.
 */
export type Task = {
  readonly id: string
  readonly name: string
  readonly type: OperationType
  state: OperationState
  parameters: OperationParameters
  dependencies: readonly string[]
  /** The subgraph that holds it; null for the root of the graph only. */
  readonly container: Task | null
  dependants: Task[]
  /** Dependencies that are not done. */
  waiting: number
  /** `active` = may run, runs or waits for its time. */
  status: 'waiting' | 'active' | 'ended'
  /** Of a subgraph: its tasks, how many of them have not ended, how many are active, the first failed one. */
  readonly children: Task[]
  open: number
  active: number
  failedChild: Task | null
}

export function newTask(row: StoredOperation, container: Task | null): Task {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    state: row.state,
    parameters: row.parameters,
    dependencies: row.dependencies,
    container,
    dependants: [],
    waiting: 0,
    status: 'waiting',
    children: [],
    open: 0,
    active: 0,
    failedChild: null,
  }
}

export function storedOperation(task: Task): StoredOperation {
  const { id, name, type, state, dependencies, parameters } = task
  return { id, name, type, state, dependencies, parameters }
}

export function isSubgraph(task: Task): boolean {
  return task.type === 'SubgraphTask'
}

/** What waits for it may start. */
export function isDone({ state, parameters }: Task): boolean {
  return state === 'succeeded' || (state === 'failed' && parameters.ignored === true)
}

/** Whether `task` lies somewhere in `subgraph`. */
export function isWithin(task: Task, subgraph: Task): boolean {
  for (let at = task.container; at !== null; at = at.container) if (at === subgraph) return true
  return false
}

/** The operation name and the executing side's node instance of a remote task. */
export function operationOf(parameters: OperationParameters): {
  readonly operation: string | null
  readonly nodeInstanceId: string | null
} {
  const context = cloudifyContext(parameters)
  const operation = context?.operation
  const name = isJsonObject(operation) ? operation.name : undefined
  const nodeId = context?.node_id
  return {
    operation: typeof name === 'string' ? name : null,
    nodeInstanceId: typeof nodeId === 'string' ? nodeId : null,
  }
}

/** What the workflow says to whoever runs the operation; undefined for tasks that are no operations of a blueprint. */
export function cloudifyContext(parameters: OperationParameters): JsonObject | undefined {
  const kwargs = parameters.task_kwargs.kwargs
  if (!isJsonObject(kwargs)) return undefined
  const context = kwargs.__cloudify_context
  return isJsonObject(context) ? context : undefined
}
