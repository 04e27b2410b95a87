import { setTimeout } from 'node:timers/promises'

/** Resolves after the time, rejects when aborted. A parameter of everything that polls. */
export type Wait = (timeMs: number, signal: AbortSignal | undefined) => Promise<void>

export const wait: Wait = (timeMs, signal) =>
  setTimeout(timeMs, undefined, signal === undefined ? {} : { signal })

/** Polls quickly at first and ever slower while nothing happens. */
export const firstPauseMs = 150
export const longestPauseMs = 1_000
export const nextPauseMs = (pauseMs: number): number => Math.min(pauseMs * 1.5, longestPauseMs)
