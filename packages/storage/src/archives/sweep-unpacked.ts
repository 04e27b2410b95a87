import { createAbandonedSweep } from '../abandoned.ts'
import type { Database } from '../database.ts'

/** Whoever was told where an unpacked archive is has done with it by then: a parse or a copy takes minutes at most. */
const afterMs = 20 * 60_000
const everyMs = 60_000

/**
 * Keeps the unpacked archives of this machine (unpackedArchive) to those that are in the database: these are the ones that
 * something refers to, as the coordinator deletes the others. Also what processes that were killed left half unpacked.
 */
export function sweepUnpackedArchives(
  db: Database,
  cacheFolder: string,
  { onError }: { readonly onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const sweep = unpackedSweep(db, cacheFolder)
  let running = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(sweep).then(() => undefined, onError)
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

export const unpackedSweep = (db: Database, cacheFolder: string, now?: () => number) =>
  createAbandonedSweep(cacheFolder, {
    wanted: (names) => storedArchives(db, names),
    afterMs,
    ...(now && { now }),
  })

async function storedArchives(db: Database, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set()
  const rows = await db.selectFrom('archives').select('sha256').where('sha256', 'in', hashes).execute()
  return new Set(rows.map(({ sha256 }) => sha256))
}
