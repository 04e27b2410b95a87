/**
 * The coordinator: one worker of all, elected by a lock of the database, does what has to be done from time to time for
 * the whole manager.
 */
import type { Database, PoolConfig, Registry } from '@tutti/storage'
import type { WorkerLog } from '../log.ts'
import type { PeriodicJob } from './job.ts'
import { periodicJobs } from './jobs.ts'
import { type Election, standForLeader } from './lead.ts'
import { coordinatorMetrics } from './metrics.ts'
import { runJobs } from './run-jobs.ts'

export function startCoordinator(options: {
  readonly db: Database
  readonly connection: PoolConfig
  readonly metrics: Registry
  readonly log: WorkerLog
  readonly jobs?: readonly PeriodicJob[]
}): Election {
  const { db, connection, log, jobs = periodicJobs } = options
  const metrics = coordinatorMetrics(options.metrics)
  return standForLeader(connection, {
    whileLeading: (signal) => runJobs({ db, log, metrics, jobs }, signal),
    onError: (error) => log.warn({ err: error }, 'this process stands for coordinator again'),
  })
}
