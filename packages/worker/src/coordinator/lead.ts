import { setTimeout as delay } from 'node:timers/promises'
import { coordinatorLock, type PoolConfig } from '@tutti/storage'

export type Election = { stop(): Promise<void> }

type Options = {
  /** Called each time this process becomes the leader; returns soon after `signal` is aborted, and never rejects. */
  readonly whileLeading: (signal: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
  /** How often the leader shows that it lives, and the others look for a place. */
  readonly beatMs?: number
}

const defaultBeatMs = 1_000
/** A leader that is not heard of for so many beats is none any more. */
const beatsToLose = 4

/**
 * Stands for leader among all processes on the database, until `stop`. The leader is whoever holds an advisory lock, on a
 * connection of its own: when the process dies, its connection and with it the lock go at once; when it is halted,
 * PostgreSQL ends the connection for its silence. A leader that was halted may still think for a moment that it leads:
 * what it does must come to no harm when it is done twice.
 *
 * It shows that it lives from its event loop, and not from a thread as leases are renewed: what a leader does is done by
 * that loop. One that stands still for several beats does none of it, loses nothing by another one's taking over, and
 * stands again afterwards; a thread would keep the place for it.
 */
export function standForLeader(
  connection: PoolConfig,
  { whileLeading, onError, beatMs = defaultBeatMs }: Options,
): Election {
  const stopping = new AbortController()
  const pause = () => delay(beatMs, undefined, { signal: stopping.signal }).catch(() => undefined)

  async function stand(): Promise<void> {
    const lock = await coordinatorLock(connection, beatMs * beatsToLose)
    try {
      while (!stopping.signal.aborted) {
        if (await lock.take()) return await lead(lock)
        await pause()
      }
    } finally {
      await lock.close()
    }
  }

  async function lead(lock: Awaited<ReturnType<typeof coordinatorLock>>): Promise<void> {
    const leading = new AbortController()
    const work = whileLeading(leading.signal)
    try {
      while (!stopping.signal.aborted) {
        await pause()
        await lock.hold()
      }
    } finally {
      leading.abort()
      await work
    }
  }

  const standing = (async () => {
    while (!stopping.signal.aborted) {
      await stand().catch((error: unknown) => {
        if (!stopping.signal.aborted) onError(error)
      })
      await pause()
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await standing
    },
  }
}
