import { CompiledQuery, sql } from 'kysely'
import type { PoolConfig } from 'pg'
import { PgBoss } from 'pg-boss'
import type { Database } from './database.ts'

/** Which execution to run; everything else is in its row. */
export type ExecutionJob = { readonly tenantId: number; readonly executionId: string }

/**
 * Hands executions to workers (architecture 6). The queue decides only who is asked first: who may run an
 * execution is decided by its lease, so a job lost or delivered twice does no harm.
 */
export type Queue = {
  /** Adds jobs in the caller's transaction: they exist exactly when the rows that they name do. */
  enqueue(transaction: Database, jobs: readonly ExecutionJob[]): Promise<void>
  /** Calls `take` with each batch; a job whose `take` rejects is offered again. Several workers may do so. */
  work(take: (jobs: readonly ExecutionJob[]) => Promise<void>): Promise<void>
  /** Ends `work`: resolves when the last `take` has ended and no other one will be called. */
  rest(): Promise<void>
  close(): Promise<void>
}

const queueName = 'executions'

export async function openQueue(config: PoolConfig, onError: (error: Error) => void): Promise<Queue> {
  const boss = new PgBoss({
    ...databaseOptions(config),
    application_name: 'tutti-queue',
    max: 3,
    schedule: false,
    useListenNotify: true,
  })
  boss.on('error', onError)
  await boss.start()
  // Jobs are done as soon as a worker holds the lease: the history of executions is their own table.
  await boss.createQueue(queueName, {
    notify: true,
    retryLimit: 5,
    deleteAfterSeconds: 60,
    expireInSeconds: 60,
  })

  return {
    async enqueue(transaction, jobs) {
      if (jobs.length === 0) return
      const db = {
        executeSql: async (text: string, values: unknown[] = []) => {
          const result = await transaction.executeQuery(CompiledQuery.raw(text, values))
          return { rows: [...result.rows] }
        },
      }
      await boss.insert(
        queueName,
        jobs.map((data) => ({ data })),
        { db },
      )
    },
    async work(take) {
      const options = {
        // Of twenty executions that start together, one worker took all while the other had nothing to do.
        batchSize: 4,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 5,
      }
      await boss.work<ExecutionJob>(queueName, options, (jobs) => take(jobs.map((job) => job.data)))
    },
    rest: () => boss.offWork(queueName),
    close: () => boss.stop({ graceful: true, timeout: 5_000 }),
  }
}

/**
 * Deletes jobs that are over, so many at most; answers how many. The queue's own clean-up comes once a day, and until
 * then each fetch of a job goes past all that are over.
 */
export async function deleteFinishedJobs(db: Database, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from pgboss.job where name = ${queueName} and id in (
      select id from pgboss.job
      where name = ${queueName} and deletion_seconds > 0
        and completed_on + deletion_seconds * interval '1 second' < clock_timestamp()
      limit ${limit} for update skip locked)
    returning id`.execute(db)
  return rows.length
}

/** The part of a pool's configuration that says where the database is. */
function databaseOptions(config: PoolConfig) {
  const { connectionString, host, port, user, password, database, ssl } = config
  return {
    ...(connectionString !== undefined && { connectionString }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(user !== undefined && { user }),
    ...(typeof password === 'string' && { password }),
    ...(database !== undefined && { database }),
    ...(ssl !== undefined && { ssl }),
  }
}
