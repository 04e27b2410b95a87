import { isEndStatus } from '@tutti/api'
import type { Database } from '@tutti/storage'
import { isDatabaseAway, type Notification } from '@tutti/storage'

/**
 * Lets requests wait for the end of executions that workers run, here or elsewhere. Woken by notifications;
 * a slow poll covers those that get lost.
 */
export type ExecutionEnds = {
  /** The execution at its end, or as it is after `timeoutMs`; undefined when it is gone. */
  wait(tenantId: number, executionId: string, timeoutMs: number): Promise<ExecutionEnd | undefined>
  onNotification(notification: Notification): void
}

export type ExecutionEnd = { readonly status: string; readonly error: string }

const pollMs = 1_000

export function watchExecutionEnds(
  db: Database,
  readEnd: (db: Database, tenantId: number, executionId: string) => Promise<ExecutionEnd | undefined>,
  {
    diskSpace,
    awayMs,
  }: {
    /** What runs may wait for space on the disk; whoever waits for it does not. */
    readonly diskSpace: { check(): Promise<void> }
    /** So long a database may be away before whoever waits is told so. */
    readonly awayMs: number
  },
): ExecutionEnds {
  const waiting = new Map<string, Set<() => void>>()
  const keyOf = (tenantId: number, executionId: string) => `${tenantId}/${executionId}`

  return {
    onNotification(notification) {
      if (notification.kind !== 'execution_ended') return
      for (const wake of waiting.get(keyOf(notification.tenantId, notification.executionId)) ?? []) wake()
    },

    async wait(tenantId, executionId, timeoutMs) {
      const key = keyOf(tenantId, executionId)
      const deadline = Date.now() + timeoutMs
      let answeredAt = Date.now()
      for (;;) {
        // Asked to be woken before reading: an end between the two is then not missed.
        const woken = untilWoken(waiting, key, Math.min(pollMs, Math.max(1, deadline - Date.now())))
        const isLast = Date.now() >= deadline
        const end = await readEnd(db, tenantId, executionId).catch((error: unknown) => {
          // A server that is started again is back soon: the execution goes on then, and so does this.
          if (isDatabaseAway(error) && !isLast && Date.now() - answeredAt < awayMs) return 'away' as const
          woken.stop()
          throw error
        })
        if (end !== 'away' && (end === undefined || isEndStatus(end.status) || isLast)) {
          woken.stop()
          return end
        }
        if (end !== 'away') answeredAt = Date.now()
        await diskSpace.check().catch((error: unknown) => {
          woken.stop()
          throw error
        })
        await woken.promise
      }
    },
  }
}

function untilWoken(waiting: Map<string, Set<() => void>>, key: string, timeoutMs: number) {
  let stop = () => {}
  const promise = new Promise<void>((resolve) => {
    const wakers = waiting.get(key) ?? new Set()
    waiting.set(key, wakers)
    const timer = setTimeout(() => stop(), timeoutMs)
    stop = () => {
      clearTimeout(timer)
      wakers.delete(stop)
      if (wakers.size === 0) waiting.delete(key)
      resolve()
    }
    wakers.add(stop)
  })
  return { promise, stop: () => stop() }
}
