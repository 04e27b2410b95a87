/** Structurally the engine's types of the same names, so that an outcome goes into a graph event as it is. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** One entry of an event's `error_causes` (spec/workflows.md 8). */
export interface ErrorCause {
  readonly message: string
  readonly type: string
  readonly traceback: string | null
}

/** How an operation failed (spec/operations.md 2.3, spec/workflows.md 5.3). */
export interface OperationError {
  readonly kind: 'recoverable' | 'retry' | 'non-recoverable' | 'killed'
  /** Name of the exception class that was raised, e.g. `ProcessException`. */
  readonly type: string
  readonly message: string
  /** Overrides the operation's retry interval. */
  readonly retryAfterMs?: number
  readonly traceback?: string
  readonly causes?: readonly ErrorCause[]
}

export type OperationOutcome =
  | { readonly ok: true; readonly result: JsonValue }
  | { readonly ok: false; readonly error: OperationError }

export function nonRecoverable(message: string): OperationOutcome {
  return { ok: false, error: { kind: 'non-recoverable', type: 'NonRecoverableError', message } }
}

export function recoverable(message: string): OperationOutcome {
  return { ok: false, error: { kind: 'recoverable', type: 'RecoverableError', message } }
}

/** The caller aborted it; there is no answer (spec/operations.md 4). */
export const killed: OperationOutcome = {
  ok: false,
  error: { kind: 'killed', type: 'ProcessKillCancelled', message: 'The operation was killed on request' },
}
