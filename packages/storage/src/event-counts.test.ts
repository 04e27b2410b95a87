import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase, sumEventCounts } from './index.ts'
import { createTestDatabase, type TestDatabase } from './testing/index.ts'

let own: TestDatabase
let database: OpenDatabase
beforeAll(async () => {
  own = await createTestDatabase()
  database = openDatabase({ ...own.connection, max: 8 })
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

const append = (executionId: string | null, events: number) => sql`
  insert into events (tenant_id, is_log, reported_timestamp, execution_id, message, created_by)
  select 0, i % 2 = 0, now(), ${executionId}::text, 'm', 'admin' from generate_series(1, ${events}::int) i`

const different = async () => {
  const { rows } = await sql`
    select * from (
      select execution_id, is_log, sum(count)::bigint as counted from event_counts group by 1, 2) c
    full join (select execution_id, is_log, count(*) as there from events group by 1, 2) e
      on c.execution_id is not distinct from e.execution_id and c.is_log = e.is_log
    where coalesce(counted, 0) <> coalesce(there, 0)`.execute(database.db)
  return rows
}

test('counts are right while many append, delete, take back and sum up at once', async () => {
  const { db } = database
  const appending = async (name: string | null) => {
    for (let step = 1; step <= 10; step += 1) {
      await append(name, step).execute(db)
      const undone = db.transaction().execute(async (transaction) => {
        await append(name, 3).execute(transaction)
        throw new Error('taken back')
      })
      await expect(undone).rejects.toThrow('taken back')
      if (step === 5) await sql`delete from events where execution_id = ${name} and is_log`.execute(db)
    }
  }
  const summing = async () => {
    for (let step = 0; step < 20; step += 1) await sumEventCounts(db, 2)
  }
  await Promise.all([appending('a'), appending('a'), appending('b'), appending(null), summing(), summing()])
  expect(await different()).toEqual([])
  while ((await sumEventCounts(db, 1)) > 0);
  expect(await different()).toEqual([])
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from event_counts`.execute(db)
  // Of three executions, events and logs; two that summed up at once may have left some twice.
  expect(rows[0]?.rows).toBeLessThanOrEqual(12)
})

test('of executions whose events are gone nothing stays', async () => {
  const { db } = database
  await append('gone', 4).execute(db)
  await sumEventCounts(db, 1_000)
  await sql`delete from events where execution_id = 'gone'`.execute(db)
  await sumEventCounts(db, 1_000)
  expect((await sql`select from event_counts where execution_id = 'gone'`.execute(db)).rows).toEqual([])
})

test('of events that somebody truncates nothing stays counted, also while others append', async () => {
  const { db } = database
  await append('truncated', 4).execute(db)
  await sumEventCounts(db, 1_000)
  await Promise.all([
    sql`truncate events`.execute(db),
    ...Array.from({ length: 5 }, () => append('beside', 2).execute(db)),
    sumEventCounts(db, 1_000),
  ])
  expect(await different()).toEqual([])
  await append('after', 2).execute(db)
  expect(await different()).toEqual([])
})
