import {
  checkLease,
  clearLeftLeases,
  findAbandoned,
  LeaseLost,
  msUntilAbandoned,
  type OpenDatabase,
  offered,
  openDatabase,
  openQueue,
  type Queue,
  releaseAllLeases,
  releaseLeases,
  renewLeases,
  takeLease,
} from '@tutti/storage'
import { createTestDatabase, type TestDatabase } from '@tutti/storage/testing'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertExecution, setExecutionStatus } from './index.ts'

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

const minute = 60_000

async function addExecution(
  id: string,
): Promise<{ readonly tenantId: number; readonly executionId: string }> {
  await database.db.transaction().execute((transaction) =>
    insertExecution(transaction, queue, {
      tenantId: 0,
      id,
      workflowId: 'install',
      status: 'pending',
      parameters: {},
      createdBy: 'admin',
    }),
  )
  return { tenantId: 0, executionId: id }
}

const take = (execution: { readonly tenantId: number; readonly executionId: string }, owner: string) =>
  takeLease(database.db, execution, owner, minute, 'wait')

test('an execution has one owner, and a new one shuts the old one out', async () => {
  const execution = await addExecution('one-owner')
  const first = await take(execution, 'a')
  expect(first?.lease_owner).toBe('a')
  expect(await take(execution, 'b')).toBe(undefined)

  await releaseAllLeases(database.db)
  const second = await take(execution, 'b')
  expect(second?.lease_fence).toBe(Number(first?.lease_fence) + 1)
  const old = { ...execution, fence: first?.lease_fence ?? 0 }
  await expect(
    database.db.transaction().execute((transaction) => checkLease(transaction, old)),
  ).rejects.toThrow(LeaseLost)
  expect(await renewLeases(database.pool, 'a', ['one-owner'], minute)).toEqual([])
  expect(await renewLeases(database.pool, 'b', ['one-owner'], minute)).toMatchObject([{ isRenewed: true }])
})

test('what is given back is abandoned at once, and offered to the others', async () => {
  const execution = await addExecution('given-back')
  const other = await addExecution('kept')
  await take(execution, 'c')
  await take(other, 'c')
  const before = await countJobs('given-back')
  await releaseLeases(database.db, queue, 'c', ['given-back'])
  expect(await findAbandoned(database.db, 10)).toEqual([execution])
  expect(await countJobs('given-back')).toBe(before + 1)
  expect(await take(execution, 'd')).toMatchObject({ lease_owner: 'd' })
  await releaseLeases(database.db, queue, 'c')
  expect(await findAbandoned(database.db, 10)).toEqual([other])
})

test('a row in the middle of a transaction holds up neither renewals nor the search for abandoned ones', async () => {
  const [locked, free] = [await addExecution('locked'), await addExecution('free')]
  await take(locked, 'e')
  await take(free, 'e')
  const dead = new Client(own.connection)
  await dead.connect()
  await dead.query("begin; select from executions where id = 'locked' for update")
  try {
    const rows = await renewLeases(database.pool, 'e', ['locked', 'free'], minute)
    expect(new Map(rows.map(({ id, isRenewed }) => [id, isRenewed]))).toEqual(
      new Map([
        ['locked', false],
        ['free', true],
      ]),
    )
    expect(await takeLease(database.db, locked, 'f', minute, 'skip')).toBe(undefined)
  } finally {
    await dead.end()
  }
})

test('a lease that outlives its execution holds up a resume until it is given back', async () => {
  const { db } = database
  const execution = await addExecution('left')
  await take(execution, 'h')
  await db
    .transaction()
    .execute((transaction) =>
      setExecutionStatus(transaction, execution, { status: 'cancelled', keepsLease: true }),
    )
  expect(await renewLeases(database.pool, 'h', ['left'], minute)).toMatchObject([
    { status: 'cancelled', isRenewed: true },
  ])
  await db
    .updateTable('executions')
    .set({ status: 'pending', ...offered })
    .where('id', '=', 'left')
    .execute()
  expect(await take(execution, 'i')).toBe(undefined)
  const before = await countJobs('left')
  await releaseLeases(db, queue, 'h', ['left'])
  expect(await countJobs('left')).toBe(before + 1)
  expect(await take(execution, 'i')).toMatchObject({ lease_owner: 'i' })

  // Given back as ended, it is offered to nobody.
  await db
    .transaction()
    .execute((transaction) =>
      setExecutionStatus(transaction, execution, { status: 'cancelled', keepsLease: true }),
    )
  await releaseLeases(db, queue, 'i')
  expect(await countJobs('left')).toBe(before + 1)
  expect(await renewLeases(database.pool, 'i', ['left'], minute)).toEqual([])

  // Its worker died meanwhile: nobody would give it back.
  await db
    .updateTable('executions')
    .set({ lease_owner: 'dead', lease_expires_at: new Date(0) })
    .where('id', '=', 'left')
    .execute()
  expect(await clearLeftLeases(db, 10)).toBe(1)
  expect(await clearLeftLeases(db, 10)).toBe(0)
})

test('the next end of a lease is known', async () => {
  await database.db.deleteFrom('executions').execute()
  expect(await msUntilAbandoned(database.db)).toBe(undefined)
  await take(await addExecution('next'), 'g')
  // Whoever never fetched its job would be given it as soon; a held one is due a minute from now.
  expect(await msUntilAbandoned(database.db)).toBeGreaterThan(minute / 2)
})

async function countJobs(executionId: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*) from pgboss.job where data->>'executionId' = $1",
    [executionId],
  )
  return Number(rows[0]?.count)
}
