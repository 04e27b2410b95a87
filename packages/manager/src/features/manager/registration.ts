import type { Database } from '@tutti/storage'
import { deleteManager, deleteSilentManagers, type NewManager, recordHeartbeat } from './queries.ts'

export const heartbeatMs = 5_000

/** A process that missed several heartbeats is no longer counted on. */
export const freshMs = 4 * heartbeatMs

/** Rows of processes that have been silent for so long are left over from another container or machine. */
const leftOverMs = 10 * 60_000

export type Registration = {
  /** Ends the heartbeat and takes the process out of the list. */
  stop(): Promise<void>
}

/**
 * Makes a process of the cluster known and keeps saying that it lives, for `GET /managers` and `GET /status`
 * (spec/rest-facts-b.md 11). A heartbeat that the database refuses is reported and tried again at the next beat.
 */
export async function registerManager(
  db: Database,
  manager: NewManager,
  onError: (error: unknown) => void,
): Promise<Registration> {
  await deleteSilentManagers(db, leftOverMs)
  await recordHeartbeat(db, manager)
  let beat: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    beat = recordHeartbeat(db, manager).catch(onError)
  }, heartbeatMs)
  return {
    async stop() {
      clearInterval(timer)
      await beat
      // Without its database the process still has to end; its silence then says that it is gone.
      await deleteManager(db, manager.hostname).catch(onError)
    },
  }
}
