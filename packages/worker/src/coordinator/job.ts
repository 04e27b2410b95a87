import type { Database } from '@tutti/storage'
import type { CoordinatorMetrics } from './metrics.ts'

/** What the leader does again and again, for all processes. It comes to no harm when two do it at once. */
export type PeriodicJob = {
  readonly name: string
  readonly everyMs: number
  /** A run begins no other part after so long: what is left waits for the next one. */
  readonly budgetMs: number
  /** Does one part, of bounded size; answers how many things it did, 0 when nothing is left. */
  readonly part: (db: Database, metrics: CoordinatorMetrics) => Promise<number>
}
