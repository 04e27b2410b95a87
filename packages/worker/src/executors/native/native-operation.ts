import type { OperationOutcome } from '@tutti/engine'
import type { Transaction } from '@tutti/storage'
import type { GivenOperation } from '../../operations/index.ts'
import type { ExecutorServices } from '../../services.ts'

/**
 * An operation that is a function of Tutti's own. It answers as any other, and an `ApiError` that it throws is its
 * non-recoverable failure. What it changes it changes by `change`; a try that is repeated after a lost worker must come
 * to the same.
 */
export type NativeOperation = (native: NativeRun) => Promise<OperationOutcome>

export type NativeRun = {
  readonly services: ExecutorServices
  readonly given: GivenOperation
  /** Aborted when it is to end, or its time is up: it must settle then, as nothing else ends it. */
  readonly signal: AbortSignal
  /** One transaction, of a worker that still has the execution; LeaseLost otherwise. */
  change<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}
