import type { CancelMode } from './graph-event.ts'
import type { JsonObject } from './json.ts'
import type { NodeInstanceChange } from './node-instance-change.ts'
import type { ErrorCause, OperationOutcome } from './operation-error.ts'
import type { OperationRecord } from './operation-record.ts'
import type { OperationParameters, OperationState, StoredOperation } from './stored-operation.ts'
import type { SystemPropertyChange } from './system-properties.ts'

/**
 * Everything that one call of `reduce` decided and that must become durable in ONE transaction, before
 * any of its `run` commands is performed. What is in it happens exactly once, whatever crashes.
 */
export type Commit = {
  /** New rows: retries and re-runs. */
  readonly inserted: readonly StoredOperation[]
  readonly patched: readonly OperationPatch[]
  /** Ids of rows that will never run. */
  readonly removed: readonly string[]
  /** In their order, and before the states, which may be those of instances that are added here. */
  readonly nodeInstanceChanges: readonly NodeInstanceChange[]
  /** In the order in which they happened; the last one of an instance is its state. */
  readonly nodeInstanceStates: readonly NodeInstanceStateChange[]
  /** In the order in which they happened, after the states. */
  readonly systemProperties: readonly SystemPropertyChange[]
  readonly events: readonly (EmittedEvent | OperationRecord)[]
  /** What to add to the execution's `total_operations` and `finished_operations`. */
  readonly counters: { readonly total: number; readonly finished: number }
  /** To store beside the graph; null = as stored before. */
  readonly record: GraphRecord | null
}

export type OperationPatch = {
  readonly id: string
  readonly state: OperationState
  /** Given only when they changed; replaces the stored ones. */
  readonly parameters?: OperationParameters
  /** Given only when they changed. */
  readonly dependencies?: readonly string[]
}

/**
 * The runner also performs the manager's side effects of docs/reference/nodes-and-instances.md, "States" (`configured`
 * resets the drift, `started` sets the status).
 */
export type NodeInstanceStateChange = {
  readonly nodeInstanceId: string
  readonly state: string
  readonly atMs: number
}

/** A row for the events table (docs/reference/events.md, "Kinds of events"). */
export type EmittedEvent = {
  readonly type: string
  readonly timestampMs: number
  readonly message: string
  /** Name of the operation, e.g. `cloudify.interfaces.lifecycle.create`; null for node events. */
  readonly operation: string | null
  readonly nodeInstanceId: string | null
  /** Row of the tasks graph that the event belongs to. */
  readonly operationId: string | null
  readonly errorCauses: readonly ErrorCause[]
  readonly additionalContext: JsonObject | null
}

/** The part of a graph's state that its operations do not show. */
export type GraphRecord = {
  readonly cancel: CancelMode | null
  /** Ids of the operations that failed the graph, first one first. */
  readonly failedOperationIds: readonly string[]
  /** End of `wait_after_fail`, Unix time in ms; null while nothing failed. */
  readonly failDeadlineMs: number | null
}

export const newGraphRecord: GraphRecord = { cancel: null, failedOperationIds: [], failDeadlineMs: null }

/** To be performed after the commit; losing one is repaired by restoring the graph. */
export type Command =
  /**
   * Hand the operation to an executor: a `RemoteWorkflowTask` by its `task_kwargs`, any other type is a
   * function of the runner's own. `resume`: it may have been run before, by a worker that was lost.
   */
  | { readonly type: 'run'; readonly operation: StoredOperation; readonly resume: boolean }
  /** Ask the handler of an operation or a subgraph that has ended; `handler-answered` is its answer. */
  | { readonly type: 'ask'; readonly operation: StoredOperation; readonly outcome: OperationOutcome }
  | { readonly type: 'kill'; readonly operationIds: readonly string[] }

/** How a graph ended. `abandoned` are the operations that still run and that nobody waits for. */
export type GraphOutcome =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly error: string; readonly abandoned: readonly string[] }
  | { readonly status: 'cancelled'; readonly abandoned: readonly string[] }
