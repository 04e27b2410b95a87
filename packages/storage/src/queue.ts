import { CompiledQuery, sql } from 'kysely'
import type { PoolConfig } from 'pg'
import { PgBoss } from 'pg-boss'
import type { Database, Transaction } from './database.ts'

/** Which execution to run; everything else is in its row. */
export type ExecutionJob = { readonly tenantId: number; readonly executionId: string }

/**
 * Hands executions to workers (architecture 6). The queue decides only who is asked first: who may run an
 * execution is decided by its lease, so a job lost or delivered twice does no harm.
 */
export type Queue = {
  /** Adds jobs in the caller's transaction: they exist exactly when the rows that they name do. */
  enqueue(transaction: Transaction, jobs: readonly ExecutionJob[]): Promise<void>
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
      const behind = await pendingOf(transaction, jobs)
      const db = {
        executeSql: async (text: string, values: unknown[] = []) => {
          const result = await transaction.executeQuery(CompiledQuery.raw(text, values))
          return { rows: [...result.rows] }
        },
      }
      await boss.insert(
        queueName,
        // Each behind as many others as its tenant has waiting: whoever starts ten thousand waits for them alone.
        jobs.map((data) => ({ data, priority: -behind(data.tenantId) })),
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

/** Beyond it, order among tenants is that of time. */
const mostCounted = 10_000

/** How many executions of a tenant wait for a worker: those before these jobs, then one more for each. */
async function pendingOf(transaction: Transaction, jobs: readonly ExecutionJob[]) {
  const tenantIds = [...new Set(jobs.map(({ tenantId }) => tenantId))]
  const next = new Map<number, number>()
  for (const tenantId of tenantIds) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (
        select from executions where tenant_id = ${tenantId} and status = 'pending' and lease_owner is null
        limit ${mostCounted}) as waiting`.execute(transaction)
    const added = jobs.filter((job) => job.tenantId === tenantId).length
    // The rows that the jobs are of are there already.
    next.set(tenantId, Math.max(0, (rows[0]?.count ?? 0) - added))
  }
  return (tenantId: number): number => {
    const count = next.get(tenantId) ?? 0
    next.set(tenantId, count + 1)
    return count
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
