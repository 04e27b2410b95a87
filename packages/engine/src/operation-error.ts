import type { JsonValue } from './json.ts'

/** One entry of an event's `error_causes` (docs/reference/events.md, "Fields"). */
export type ErrorCause = {
  readonly message: string
  readonly type: string
  readonly traceback: string | null
}

/**
 * How an operation failed (docs/reference/operations.md, "Errors on the wire"). `kind` decides what happens next:
 * `recoverable` is retried, `retry` is what `ctx.operation.retry` asks for, `non-recoverable` fails at
 * once, `killed` is an operation that a cancel request killed and that gave no answer.
 */
export type OperationError = {
  readonly kind: 'recoverable' | 'retry' | 'non-recoverable' | 'killed'
  /** Name of the exception class, e.g. `RecoverableError`. */
  readonly type: string
  readonly message: string
  /** Overrides the operation's retry interval. */
  readonly retryAfterMs?: number
  readonly traceback?: string
  /** What led to it, ending with the error itself. */
  readonly causes?: readonly ErrorCause[]
}

export type OperationOutcome =
  | { readonly ok: true; readonly result: JsonValue }
  | { readonly ok: false; readonly error: OperationError }
