import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from './database.ts'
import { unawaited } from './sent-together.ts'
import { createTestDatabase, type TestDatabase } from './testing/index.ts'

let own: TestDatabase
let database: OpenDatabase
beforeAll(async () => {
  own = await createTestDatabase()
  // One connection: what a transaction leaves behind meets the next.
  database = openDatabase({ ...own.connection, max: 1 })
  await sql`create table counters (id text primary key, value int not null)`.execute(database.db)
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

const values = async () =>
  (await sql<{ value: number }>`select value from counters order by id`.execute(database.db)).rows.map(
    ({ value }) => value,
  )

test('a transaction of statements that nobody waits for is committed whole', async () => {
  await database.db.transaction().execute(async (transaction) => {
    await sql`insert into counters values ('a', 1) ${unawaited}`.execute(transaction)
    await sql`insert into counters values ('b', 2) ${unawaited}`.execute(transaction)
  })
  expect(await values()).toEqual([1, 2])
  await database.db.transaction().execute(async () => undefined)
  await database.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      await sql`update counters set value = 3 where id = 'b' ${unawaited}`.execute(transaction)
      expect((await sql`select value from counters where id = 'b'`.execute(transaction)).rows).toEqual([
        { value: 3 },
      ])
    })
  expect(await values()).toEqual([1, 3])
})

test('what fails is told by the statement after it, as it is, or by the commit, and nothing stays', async () => {
  const before = await values()
  const taken = expect.objectContaining({ code: '23505' })
  const next = database.db.transaction().execute(async (transaction) => {
    await sql`update counters set value = 10 where id = 'a' ${unawaited}`.execute(transaction)
    await sql`insert into counters values ('a', 1) ${unawaited}`.execute(transaction)
    await sql`select value from counters`.execute(transaction)
  })
  await expect(next).rejects.toEqual(taken)
  const commit = database.db.transaction().execute(async (transaction) => {
    await sql`update counters set value = 10 where id = 'a' ${unawaited}`.execute(transaction)
    await sql`insert into counters values ('a', 1) ${unawaited}`.execute(transaction)
  })
  await expect(commit).rejects.toEqual(taken)
  expect(await values()).toEqual(before)
})

test('what the caller throws is what is thrown, and nothing stays', async () => {
  const before = await values()
  const work = database.db.transaction().execute(async (transaction) => {
    await sql`insert into counters values ('a', 1) ${unawaited}`.execute(transaction)
    throw new Error('changed my mind')
  })
  await expect(work).rejects.toThrow('changed my mind')
  expect(await values()).toEqual(before)
})

test('what was committed while a lock was waited for is seen by the statement after it', async () => {
  const other = openDatabase({ ...own.connection, max: 2 })
  try {
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holder = other.db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(1)`.execute(transaction)
      held.resolve()
      await release.promise
      await sql`insert into counters values ('late', 7)`.execute(transaction)
    })
    await held.promise
    const waiting = database.db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(1) ${unawaited}`.execute(transaction)
      return sql<{ value: number }>`select value from counters where id = 'late'`.execute(transaction)
    })
    const waits = sql`select from pg_locks where locktype = 'advisory' and not granted`
    while ((await waits.execute(other.db)).rows.length === 0);
    release.resolve()
    await holder
    expect((await waiting).rows).toEqual([{ value: 7 }])
  } finally {
    await other.close()
  }
})

test('outside of a transaction everything is waited for', async () => {
  const taken = sql`insert into counters values ('a', 1) ${unawaited}`.execute(database.db)
  await expect(taken).rejects.toMatchObject({ code: '23505' })
  await sql`update counters set value = 20 where id = 'a' ${unawaited}`.execute(database.db)
  expect(await values()).toContain(20)
})
