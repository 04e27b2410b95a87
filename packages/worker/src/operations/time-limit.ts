import type { TimeLimit } from './executor.ts'
import { nonRecoverable, type OperationOutcome, recoverable } from './outcome.ts'

/** 24 days. A longer timer would fire at once, so a longer limit is none. */
const longestTimerMs = 2 ** 31 - 1

export type Stop = {
  /** Resolves with why the operation is to end, if it is. */
  readonly reason: Promise<'aborted' | 'timed out'>
  /** No more looking. */
  clear(): void
}

/** Looks for what ends an operation before it does: whoever aborts the signal, or the time limit. */
export function stopOf(ms: TimeLimit['ms'], signal: AbortSignal): Stop {
  const { promise, resolve } = Promise.withResolvers<'aborted' | 'timed out'>()
  const abort = () => resolve('aborted')
  const limited = ms !== null && ms <= longestTimerMs
  const timer = limited ? setTimeout(() => resolve('timed out'), ms) : undefined
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return {
    reason: promise,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
  }
}

export function timedOut({ ms, isRecoverable }: TimeLimit): OperationOutcome {
  const message = `Process killed due to timeout of ${(ms ?? 0) / 1000} seconds`
  return isRecoverable ? recoverable(message) : nonRecoverable(message)
}
