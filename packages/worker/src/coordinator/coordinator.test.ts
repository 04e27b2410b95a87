import { randomBytes } from 'node:crypto'
import {
  claimEventBatch,
  createMetrics,
  type OpenDatabase,
  openDatabase,
  openQueue,
  type Queue,
  writeArchive,
} from '@tutti/storage'
import { createTestDatabase, type TestDatabase } from '@tutti/storage/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCoordinator } from './index.ts'
import type { PeriodicJob } from './job.ts'
import { periodicJobs } from './jobs.ts'
import { standForLeader } from './lead.ts'

let own: TestDatabase
let database: OpenDatabase
let queue: Queue
beforeAll(async () => {
  own = await createTestDatabase()
  database = openDatabase({ ...own.connection, max: 5 })
  queue = await openQueue(own.connection, (error) => {
    throw error
  })
  await database.db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
})
afterAll(async () => {
  await queue.close()
  await database.close()
  await own.drop()
})

const log = { info: () => {}, warn: () => {}, error: () => {} }

test('of several that stand one leads, and when its connection breaks another one does', async () => {
  const leading = new Set<number>()
  let terms = 0
  const elections = [1, 2, 3].map((id) =>
    standForLeader(own.connection, {
      beatMs: 50,
      onError: () => undefined,
      whileLeading: async (signal) => {
        leading.add(id)
        terms += 1
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        leading.delete(id)
      },
    }),
  )
  try {
    await expect.poll(() => leading.size, { timeout: 30_000 }).toBe(1)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tutti-coordinator'`.execute(database.db)
    await expect.poll(() => terms, { timeout: 30_000 }).toBe(2)
    await expect.poll(() => leading.size, { timeout: 30_000 }).toBe(1)
  } finally {
    await Promise.all(elections.map((one) => one.stop()))
  }
  expect(leading.size).toBe(0)
})

test('what is over is deleted, and what is needed stays', async () => {
  const { db } = database
  const store = (bytes: Uint8Array) =>
    db.transaction().execute((transaction) =>
      writeArchive(
        transaction,
        (async function* () {
          yield bytes
        })(),
        { maxBytes: 10_000 },
      ),
    )
  const [used, unused, fresh] = [
    await store(randomBytes(1000)),
    await store(randomBytes(1000)),
    await store(randomBytes(1000)),
  ]
  await sql`
    insert into blueprints (tenant_id, id, state, archive_sha256, created_by)
    values (0, 'used', 'uploaded', ${used.sha256}, 'admin')`.execute(db)
  await sql`
    update archives set created_at = clock_timestamp() - interval '1 hour' where sha256 <> ${fresh.sha256}`.execute(
    db,
  )
  await db.transaction().execute((transaction) =>
    queue.enqueue(transaction, [
      { tenantId: 0, executionId: 'over' },
      { tenantId: 0, executionId: 'waits' },
    ]),
  )
  await sql`
    update pgboss.job set state = 'completed', started_on = now(), completed_on = now() - interval '2 minutes'
    where data->>'executionId' = 'over'`.execute(db)
  const claim = (id: string) => db.transaction().execute((transaction) => claimEventBatch(transaction, 0, id))
  await claim('old')
  await sql`update event_batches set stored_at = clock_timestamp() - interval '1 day'`.execute(db)
  await claim('new')

  const metrics = createMetrics()
  const failing: PeriodicJob = {
    name: 'failing',
    everyMs: 1_000_000,
    budgetMs: 1,
    part: async () => {
      throw new Error('no')
    },
  }
  const options = { db, connection: own.connection, metrics, log, jobs: [failing, ...periodicJobs] }
  const coordinator = startCoordinator(options)
  const textsOf = async (query: ReturnType<typeof sql<{ text: string }>>) =>
    (await query.execute(db)).rows.map(({ text }) => text).sort()
  try {
    await expect
      .poll(() => textsOf(sql`select sha256 as text from archives`), { timeout: 30_000 })
      .toEqual([used.sha256, fresh.sha256].sort())
    await expect
      .poll(() => textsOf(sql`select data->>'executionId' as text from pgboss.job`), { timeout: 30_000 })
      .toEqual(['waits'])
    await expect
      .poll(() => textsOf(sql`select id as text from event_batches`), { timeout: 30_000 })
      .toEqual(['new'])
    expect(await metrics.metrics()).toContain('tutti_coordinator_leads 1')
    expect(await metrics.metrics()).toContain('tutti_coordinator_done_total{job="unreferenced_archives"} 1')
    expect(await metrics.metrics()).toContain('tutti_coordinator_failures_total{job="failing"} 1')
    await expect
      .poll(() => metrics.metrics(), { timeout: 30_000 })
      .toMatch(/^tutti_table_bytes{table="archive_chunks"} [1-9]/m)
  } finally {
    await coordinator.stop()
  }
  expect(await metrics.metrics()).toContain('tutti_coordinator_leads 0')
  expect(await metrics.metrics()).not.toContain('tutti_table_bytes{')
  expect((await sql`select from archives where sha256 = ${unused.sha256}`.execute(db)).rows).toEqual([])
})
