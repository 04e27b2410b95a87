import type { Database } from '../database.ts'
import { settleEnvironments } from './settle.ts'

/** Settles environments a moment after something may have changed them, and all that came meanwhile at once. */
export type Settler = {
  soon(): void
  stop(): Promise<void>
}

/** Readers settle what they read, so this only keeps the list short. */
const delayMs = 250

export function createSettler(db: Database, onError: (error: unknown) => void): Settler {
  let timer: NodeJS.Timeout | undefined
  let settling: Promise<void> = Promise.resolve()
  let isStopped = false
  return {
    soon() {
      if (isStopped) return
      timer ??= setTimeout(() => {
        timer = undefined
        settling = settling.then(() => settleEnvironments(db)).catch(onError)
      }, delayMs)
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await settling
    },
  }
}
