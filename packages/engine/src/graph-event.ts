import type { OperationOutcome } from './operation-error.ts'
import type { OperationRecord } from './operation-record.ts'
import type { StoredOperation } from './stored-operation.ts'

/** docs/reference/workflows.md, "Cancelling". */
export type CancelMode = 'cancel' | 'force-cancel' | 'kill'

/** What the runner tells the reducer. A timer that fired needs no event: `reduce(state, [], nowMs)`. */
export type GraphEvent =
  /** An executor began with the operation. `atMs` is when that was, Unix time in ms. */
  | { readonly type: 'operation-started'; readonly operationId: string; readonly atMs: number }
  /** An executor answered. An earlier `operation-started` is implied if it was not reported. */
  | {
      readonly type: 'operation-ended'
      readonly operationId: string
      readonly atMs: number
      readonly startedAtMs?: number
      readonly outcome: OperationOutcome
    }
  /** What an operation has said since; it may go on. */
  | { readonly type: 'operation-said'; readonly records: readonly OperationRecord[] }
  | { readonly type: 'cancel-requested'; readonly mode: CancelMode }
  /** New rows of the graph, of a workflow that goes on describing it while it runs; see `addOperations`. */
  | { readonly type: 'operations-added'; readonly operations: readonly StoredOperation[] }
  /** What the handler of an operation or a subgraph says that has been asked; of any other one it changes nothing. */
  | {
      readonly type: 'handler-answered'
      readonly operationId: string
      readonly atMs: number
      readonly answer: HandlerAnswer
    }
  /** Nothing more will be added to a graph that `staysOpen`. */
  | { readonly type: 'closed' }

/** `done`: what waits for it may start, however it has ended. */
export type HandlerAnswer =
  | { readonly action: 'done' | 'fail' }
  | {
      readonly action: 'retry'
      readonly retryAfterMs?: number
      readonly ignoresTotal: boolean
      /** In the place of a subgraph, with all that is in it, the subgraph first. */
      readonly again?: readonly StoredOperation[]
    }
