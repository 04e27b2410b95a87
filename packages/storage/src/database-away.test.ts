import { Client } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import { isDatabaseAway } from './database-away.ts'
import { createTestDatabase } from './testing/index.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open() {
  const test = await createTestDatabase()
  const database = openDatabase({ ...test.connection, max: 2 })
  closing.push(test.drop, database.close)
  return { ...database, connection: test.connection }
}

async function breakConnections(connection: object): Promise<void> {
  const killer = new Client(connection)
  await killer.connect()
  try {
    await killer.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
  } finally {
    await killer.end()
  }
}

test('a connection that breaks within a transaction fails that transaction and nothing else', async () => {
  const { db, connection } = await open()
  const failure = await db
    .transaction()
    .execute(async (transaction) => {
      await transaction.selectFrom('tenants').select('id').execute()
      await breakConnections(connection)
      await transaction.selectFrom('tenants').select('id').execute()
    })
    .catch((error: unknown) => error)
  expect(isDatabaseAway(failure)).toBe(true)
  expect(await db.selectFrom('tenants').select('id').execute()).toEqual([])
})

test('a server that is not there is away; a refused statement and a missing file are not', async () => {
  const nowhere = openDatabase({ host: '/nowhere', port: 1, user: 'x', database: 'x' })
  closing.push(nowhere.close)
  const away = await nowhere.db
    .selectFrom('tenants')
    .select('id')
    .execute()
    .catch((error: unknown) => error)
  expect(isDatabaseAway(away)).toBe(true)

  const { pool } = await open()
  expect(isDatabaseAway(await pool.query('select nonsense').catch((error: unknown) => error))).toBe(false)
  expect(isDatabaseAway(Object.assign(new Error('open'), { code: 'ENOENT', syscall: 'open' }))).toBe(false)
  expect(isDatabaseAway(new Error('the connection of pipes is wrong'))).toBe(false)
})
