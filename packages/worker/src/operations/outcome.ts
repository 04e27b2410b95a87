import type { OperationOutcome } from '@tutti/engine'

export type { ErrorCause, JsonObject, JsonValue, OperationError, OperationOutcome } from '@tutti/engine'

export function nonRecoverable(message: string): OperationOutcome {
  return { ok: false, error: { kind: 'non-recoverable', type: 'NonRecoverableError', message } }
}

export function recoverable(message: string): OperationOutcome {
  return { ok: false, error: { kind: 'recoverable', type: 'RecoverableError', message } }
}

/** The caller aborted it; there is no answer (docs/reference/operations.md, "Process"). */
export const killed: OperationOutcome = {
  ok: false,
  error: { kind: 'killed', type: 'ProcessKillCancelled', message: 'The operation was killed on request' },
}
