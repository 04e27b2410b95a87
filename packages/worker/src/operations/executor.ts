import type { OperationRecord } from '@tutti/engine'
import type { ExecutionRow, FairShares } from '@tutti/storage'
import type { JsonObject, JsonValue, OperationOutcome } from './outcome.ts'

/** The executors of a worker. One more is one more name here, and a line in `chooseExecutor`. */
export type Executors = Readonly<Record<ExecutorName, OperationExecutor>>
export type ExecutorName = 'native' | 'python'

/**
 * Somebody who runs operations: this worker itself, or what it has at hand. Which one takes an operation is decided by
 * `chooseExecutor`; `createOperationRunner` gives it what is chosen and reports what becomes of it.
 */
export type OperationExecutor = {
  /** What its operations take turns at, fairly between tenants; null: they cost this worker next to nothing. */
  readonly places: FairShares | null
  /**
   * Runs one operation and answers how it ended. It answers when nothing of the operation goes on by its doing any
   * more, and not before:
   *
   * - the operation's own failures are outcomes. It rejects only when the executor could not do its part; that is
   *   reported as recoverable, so the operation is tried again.
   * - `signal` aborted: the operation is to end, with time to do so, and is answered by `killed`. With the reason
   *   `atOnce` it has no time: another worker may run it already, and nobody reads the answer.
   * - an operation that had finished by then is not undone: its own outcome is answered.
   * - the time limit is the executor's to keep, counted from `started`; `timedOut` is its outcome.
   */
  run(given: GivenOperation, watch: OperationWatch): Promise<OperationOutcome>
  /** Gives up what it keeps between operations, if anything; none is given to it any more. */
  close?(): Promise<void>
}

export type GivenOperation = {
  /**
   * Names this try of the operation for ever: a retry has another id. The same id is given again only with `isResumed`,
   * after the worker was lost that had it, and may have had an effect then. An executor that outlives its worker must
   * look by this id whether it has the operation already.
   */
  readonly id: string
  readonly name: string
  /** What its implementation is called; see `implementationOf`. */
  readonly implementation: string
  readonly inputs: Readonly<Record<string, JsonValue>>
  /** All that it is told (docs/reference/operations.md, "Context"), tokens included; {} for tasks that have none. */
  readonly context: JsonObject
  readonly execution: ExecutionRow
  readonly isResumed: boolean
  readonly timeLimit: TimeLimit
}

export type TimeLimit = {
  /** null: none. */
  readonly ms: number | null
  /** Whether running out of time is retried. */
  readonly isRecoverable: boolean
}

export type OperationWatch = {
  readonly signal: AbortSignal
  /** Progress: it has begun. Whoever does not say so before its end has begun when it was given. */
  started(): void
  /** Progress: what it has said, in its order. Said before its end, it is stored before it or with it. */
  said(records: readonly OperationRecord[]): void
}

/** Reason for aborting an operation that gets no time to end by itself. */
export const atOnce = Symbol('at once')
