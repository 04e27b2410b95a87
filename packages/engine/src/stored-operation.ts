import type { JsonObject, JsonValue } from './json.ts'
import type { OperationError, OperationOutcome } from './operation-error.ts'
import type { SystemPropertyPath } from './system-properties.ts'
import { each, type Work } from './work.ts'

/**
 * docs/reference/operations-resource.md, "Operations". Any other type is a function that the runner must run by its
 * `name`.
 */
export type OperationType =
  | 'RemoteWorkflowTask'
  | 'LocalWorkflowTask'
  | 'NOPLocalWorkflowTask'
  | 'SubgraphTask'
  | 'SetNodeInstanceStateTask'
  | 'ChangeNodeInstancesTask'
  | 'GetNodeInstanceStateTask'
  | 'SetNodeInstanceStatusTask'
  | 'SendNodeEventTask'
  | 'SendWorkflowEventTask'
  | 'UpdateExecutionStatusTask'
  | (string & {})

export type OperationState =
  | 'pending'
  | 'sending'
  | 'sent'
  | 'started'
  | 'response-sent'
  | 'succeeded'
  | 'failed'
  | 'rescheduled'

/**
 * An operation of a tasks graph: the API's resource and the durable log in one (docs/reference/workflows.md, "Tasks
 * graph").
 */
export type StoredOperation = {
  readonly id: string
  readonly name: string
  readonly type: OperationType
  readonly state: OperationState
  readonly dependencies: readonly string[]
  readonly parameters: OperationParameters
}

export type OperationParameters = {
  readonly on_success: SuccessHandler | PythonHandler | null
  readonly on_failure: FailureHandler | PythonHandler | null
  /** Id of the row that this one retries. A row that another one retries is superseded by it. */
  readonly retried_task: string | null
  readonly current_retries: number
  /** −1 = without limit. */
  readonly total_retries: number
  /** Seconds. */
  readonly retry_interval: number
  readonly send_task_events: boolean
  readonly info: string | null
  readonly error: OperationError | null
  readonly containing_subgraph: string | null
  readonly task_kwargs: JsonObject
  /** Unix time in ms before which a retry row does not start. */
  readonly not_before_ms?: number
  /** The operation failed and its failure was ignored: it counts as done. */
  readonly ignored?: boolean
  /** How it ended, while its handler is asked (`PythonHandler`). */
  readonly answer?: OperationOutcome
  /** What it came to, in graphs that keep it (`keepsResults`). */
  readonly result?: JsonValue
  /** The row ended once before a resume reset it, so `finished_operations` has counted it already. */
  readonly counted?: boolean
}

/** On operations only. */
export type SuccessHandler =
  /** A falsy result is retried without limit (`host.get_state`). */
  { readonly path: 'retry_until_truthy' } | StoreCheck

/** How the operation ended is recorded in the system properties of the node instance. */
export type StoreCheck = {
  readonly path: 'store_check'
  readonly node_instance_id: string
  readonly property: SystemPropertyPath
  /** Of a failed check: it counts as done. */
  readonly ignores_failure: boolean
}

/**
 * A function of a workflow in Python, which is asked what follows: `path` is `module.name`, all else is its own. In graphs
 * with `asksHandlers` only.
 */
export type PythonHandler = JsonObject & { readonly path: string; readonly asks: 'python' }

export const isPython = (handler: { readonly path: string } | null): handler is PythonHandler =>
  handler !== null && 'asks' in handler && handler.asks === 'python'

/** One that the engine itself knows what to do about. */
export const ownHandler = <Own extends { readonly path: string }>(
  handler: Own | PythonHandler | null,
): Own | null => (handler === null || isPython(handler) ? null : handler)

/**
 * What a failure leads to other than the failure of what is around it. A new one takes its shape here, its rule in
 * `stored-handlers.ts` and its treatment where operations (`end-operation.ts`) or subgraphs (`rerun-subgraph.ts`) end:
 * without them it does not compile.
 */
export type FailureHandler = OperationFailureHandler | SubgraphFailureHandler

/** `ignore`: the failure is reported by a node event and the sequence goes on. */
export type OperationFailureHandler =
  | { readonly path: 'ignore'; readonly node_instance_id: string }
  | StoreCheck

export type SubgraphFailureHandler = RerunHandler | NotedFailure

/** The node instance is noted as not healed, or not updated, in this execution, and the subgraph counts as done. */
export type NotedFailure = {
  readonly path: 'heal_failed' | 'update_failed'
  readonly node_instance_id: string
  readonly execution_id: string
}

/** The subgraph is replaced by a new run of the node instance's lifecycle, up to `total_retries` times. */
export type RerunHandler = {
  readonly path: 'rerun_lifecycle'
  readonly lifecycle: 'install' | 'uninstall'
  readonly node_instance_id: string
  readonly ignore_failure: boolean
}

export function isTerminated(state: OperationState): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'rescheduled'
}

/** Whether an operation is handed to an executor, i.e. neither finished nor waiting to be sent. */
export function isInFlight(state: OperationState): boolean {
  return state === 'sending' || state === 'sent' || state === 'started' || state === 'response-sent'
}

/** An execution's `total_operations` for these rows (docs/reference/workflows.md, "Tasks graph"). */
export function* countedOperations(operations: readonly StoredOperation[]): Work<number> {
  let count = 0
  yield* each(operations, ({ type }) => {
    if (type !== 'NOPLocalWorkflowTask') count += 1
  })
  return count
}
