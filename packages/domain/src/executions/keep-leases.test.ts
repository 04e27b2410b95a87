import {
  keepLeases,
  type LeaseKeeper,
  type OpenDatabase,
  openDatabase,
  openQueue,
  type Queue,
  type Renewal,
  takeLease,
} from '@tutti/storage'
import { createTestDatabase, type TestDatabase } from '@tutti/storage/testing'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertExecution } from './index.ts'

/** Small, and still several times what a loaded machine takes for one renewal. */
const leaseMs = 1_500
const stallMs = 1.5 * leaseMs

let own: TestDatabase
let database: OpenDatabase
let queue: Queue
beforeAll(async () => {
  own = await createTestDatabase()
  database = openDatabase({ ...own.connection, max: 3 })
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

async function startKeeper(options: { readonly lifelessMs?: number } = {}) {
  const renewals: Renewal[] = []
  const keeper = await keepLeases({
    connection: own.connection,
    owner: 'slow',
    leaseMs,
    onRenewal: (renewal) => void renewals.push(renewal),
    onError: (why) => {
      throw new Error(why)
    },
    ...options,
  })
  return { keeper, renewals }
}

/** An execution whose lease `slow` has and the keeper renews. */
async function take(keeper: LeaseKeeper, id: string): Promise<void> {
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
  keeper.keep(id)
  expect(
    await takeLease(database.db, { tenantId: 0, executionId: id }, 'slow', leaseMs, 'wait'),
  ).toBeDefined()
}

/**
 * Another worker that looks for leases that ran out, inside the server, as this process is about to be held up. Answers
 * when it has begun; `ended` after so long.
 */
async function startRival(
  id: string,
  forMs: number,
  pauseMs = 5,
): Promise<{ readonly ended: Promise<void> }> {
  const client = new Client(own.connection)
  await client.connect()
  const { promise: began, resolve } = Promise.withResolvers<void>()
  client.once('notice', () => resolve())
  const done = client.query(`do $$
    declare ends timestamptz := clock_timestamp() + ${forMs} * interval '1 millisecond';
    begin
      raise notice 'began';
      while clock_timestamp() < ends loop
        update executions set lease_owner = 'rival', lease_fence = lease_fence + 1,
          lease_expires_at = clock_timestamp() + interval '1 hour'
        where (tenant_id, id) = (
          select tenant_id, id from executions
          where id = '${id}' and lease_expires_at < clock_timestamp() for no key update skip locked);
        perform pg_sleep(${pauseMs} / 1000.0);
      end loop;
    end $$`)
  const ended = done.then(
    () => client.end(),
    async (error: unknown) => {
      await client.end()
      throw error
    },
  )
  await began
  return { ended }
}

/** The event loop does not turn for so long, as on a slow machine at a large value. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

async function ownerOf(id: string): Promise<string | null> {
  const row = await database.db
    .selectFrom('executions')
    .select('lease_owner')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.lease_owner
}

test('a stall of the event loop costs no lease, and what was renewed meanwhile is known at once', async () => {
  const { keeper, renewals } = await startKeeper()
  await take(keeper, 'stalled')
  const rival = await startRival('stalled', stallMs)
  renewals.length = 0
  stall(stallMs)
  keeper.catchUp()
  expect(renewals.at(-1)?.rows).toMatchObject([{ id: 'stalled', lease_fence: 1 }])
  await rival.ended
  expect(await ownerOf('stalled')).toBe('slow')
  await keeper.stop()
})

test('a process whose event loop never turns again loses its leases', async () => {
  const { keeper } = await startKeeper({ lifelessMs: 1 })
  await take(keeper, 'halted')
  const rival = await startRival('halted', 1.5 * stallMs)
  stall(1.5 * stallMs)
  await rival.ended
  expect(await ownerOf('halted')).toBe('rival')
  await keeper.stop()
})

test('a transaction that is longer than the lease costs nothing either', async () => {
  const { keeper } = await startKeeper()
  await take(keeper, 'locked')
  // As often as workers look: one that looks all the time comes before whoever the server wakes for the row.
  const rival = await startRival('locked', 1.5 * stallMs, leaseMs / 3)
  await database.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('executions').select('id').where('id', '=', 'locked').forUpdate().execute()
    stall(stallMs)
  })
  await rival.ended
  expect(await ownerOf('locked')).toBe('slow')
  await keeper.stop()
})

test('renewals go on when the connection breaks', async () => {
  const failed: string[] = []
  const next = Promise.withResolvers<Renewal>()
  const keeper = await keepLeases({
    connection: own.connection,
    owner: 'slow',
    leaseMs,
    onRenewal: (renewal) => failed.length > 0 && next.resolve(renewal),
    onError: (why) => void failed.push(why),
  })
  await take(keeper, 'cut')
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tutti-leases'",
  )
  expect((await next.promise).rows).toMatchObject([{ id: 'cut', isRenewed: true }])
  expect(await ownerOf('cut')).toBe('slow')
  await keeper.stop()
})
