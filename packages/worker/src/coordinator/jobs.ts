import {
  clearLeftLeases,
  deleteFinishedJobs,
  deleteOldEventBatches,
  deleteUnreferencedArchives,
  readTableSizes,
} from '@tutti/storage'
import type { PeriodicJob } from './job.ts'

const second = 1_000
const minute = 60 * second

export const periodicJobs: readonly PeriodicJob[] = [
  {
    name: 'unreferenced_archives',
    everyMs: minute,
    budgetMs: 20 * second,
    // Archives are large: few at once, so that none waits long for what refers to it to be written.
    part: async (db) =>
      (await deleteUnreferencedArchives(db, { olderThanMs: 5 * minute, limit: 20 })).deleted,
  },
  {
    name: 'finished_queue_jobs',
    everyMs: 30 * second,
    budgetMs: 10 * second,
    part: (db) => deleteFinishedJobs(db, 1_000),
  },
  {
    name: 'event_batches',
    everyMs: minute,
    budgetMs: 10 * second,
    // Senders repeat a batch for minutes at most.
    part: (db) => deleteOldEventBatches(db, { olderThanMs: 60 * minute, limit: 5_000 }),
  },
  {
    name: 'left_leases',
    everyMs: minute,
    budgetMs: 5 * second,
    part: (db) => clearLeftLeases(db, 1_000),
  },
  {
    name: 'statistics',
    everyMs: 30 * second,
    budgetMs: 5 * second,
    async part(db, { tables }) {
      const sizes = await readTableSizes(db)
      for (const { name: table, bytes, rows, inserted } of sizes) {
        tables.bytes.set({ table }, bytes)
        tables.rows.set({ table }, rows)
        tables.inserted.set({ table }, inserted)
      }
      return 0
    },
  },
]
