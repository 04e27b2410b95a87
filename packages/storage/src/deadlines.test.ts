import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import { isDatabaseAway } from './database-away.ts'
import { DatabaseSilent } from './deadlines.ts'
import { startEmbeddedPostgres } from './embedded/index.ts'
import { createTestDatabase } from './testing/index.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

async function open(options: object = {}) {
  const own = await createTestDatabase()
  const database = openDatabase({ ...own.connection, max: 2, ...options })
  closing.push(own.drop, database.close)
  return { ...database, connection: own.connection }
}

test('what another transaction has locked is waited for as long as allowed', async () => {
  // Half of it is what a loaded machine has to answer whether the server is well.
  const { db, connection } = await open({ silenceMs: 2_000 })
  const holder = new Client(connection)
  await holder.connect()
  try {
    await holder.query('begin; lock table tenants')
    const error = await errorOf(db.selectFrom('tenants').select('id').execute())
    expect(error).toMatchObject({ code: '55P03' })
    expect(isDatabaseAway(error)).toBe(true)
    const inTransaction = db.transaction().execute((one) => one.selectFrom('tenants').select('id').execute())
    expect(await errorOf(inTransaction)).toMatchObject({ code: '55P03' })
  } finally {
    await holder.end()
  }
  expect(await db.selectFrom('tenants').select('id').execute()).toEqual([])
})

test('a statement that takes longer than any may is ended by the server', async () => {
  const { db } = await open({ statement_timeout: 50 })
  const error = await errorOf(sql`select pg_sleep(1000)`.execute(db))
  expect(error).toMatchObject({ code: '57014' })
})

test('a statement of a server that is well is not cut for being slow', async () => {
  const { db } = await open({ silenceMs: 4_000 })
  // Longer than the silence that is suspicious, shorter than any statement may take.
  await sql`select pg_sleep(5)`.execute(db)
})

test('a transaction that goes silent loses its locks', async () => {
  const frozen = await open({ idleInTransactionMs: 100 })
  const other = openDatabase({ ...frozen.connection, max: 1 })
  closing.push(other.close)
  await frozen.db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
  const transaction = await frozen.db.startTransaction().execute()
  await sql`select from tenants for update`.execute(transaction)
  await sql`select from tenants for update`.execute(other.db)
  expect(isDatabaseAway(await errorOf(sql`select`.execute(transaction)))).toBe(true)
  await errorOf(transaction.rollback().execute())
})

test('a server that says nothing is given up, and taken up again when it answers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-silent-'))
  await chmod(folder, 0o711)
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const server = await startEmbeddedPostgres({
    dataFolder: folder,
    log: () => undefined,
    settings: { fsync: 'off' },
  })
  closing.push(() => server.stop())
  const { db, close } = openDatabase({ ...server.connection, max: 2, silenceMs: 1_000 })
  closing.push(close)
  const ask = () => sql`select 1`.execute(db)
  await ask()
  const postmaster = server.pid ?? 0
  const halted = [postmaster, ...(await childrenOf(postmaster))]
  const inTransaction = await db.startTransaction().execute()
  for (const pid of [...halted, ...(await childrenOf(postmaster))]) process.kill(pid, 'SIGSTOP')
  try {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => errorOf(ask())))
    for (const error of answers) expect(isDatabaseAway(error), String(error)).toBe(true)
    expect(await errorOf(sql`select`.execute(inTransaction))).toBeInstanceOf(DatabaseSilent)
    // What cleans up behind an error waits no second time.
    expect(await errorOf(inTransaction.rollback().execute())).toBeInstanceOf(DatabaseSilent)
  } finally {
    for (const pid of [...(await childrenOf(postmaster)), postmaster]) process.kill(pid, 'SIGCONT')
  }
  await expect.poll(() => errorOf(ask()), { timeout: 30_000 }).toBe(undefined)
})

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return pids
    .filter((_pid, at) => Number(stats[at]?.slice(stats[at].lastIndexOf(')') + 2).split(' ')[1]) === parent)
    .map(Number)
}
