import { setTimeout as delay } from 'node:timers/promises'

/** Work that is done a moment after it was asked for, once for all who asked meanwhile. */
export type CoalescedTask = {
  ask(): void
  /** Waits for what is under way; what was asked for and has not begun is left. */
  stop(): Promise<void>
}

export function createCoalescedTask(
  work: () => Promise<void>,
  { delayMs, onError }: { readonly delayMs: number; readonly onError: (error: unknown) => void },
): CoalescedTask {
  const stopping = new AbortController()
  let isAsked = false
  let running: Promise<void> | undefined
  async function run(): Promise<void> {
    while (isAsked && !stopping.signal.aborted) {
      await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) break
      isAsked = false
      await work().catch(onError)
    }
    running = undefined
  }
  return {
    ask() {
      isAsked = true
      running ??= run()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
