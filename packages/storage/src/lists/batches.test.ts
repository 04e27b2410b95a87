import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type OpenDatabase, openDatabase } from '../database.ts'
import { createFairShares } from '../shares/fair-shares.ts'
import { createTestDatabase } from '../testing/index.ts'
import { inBatches } from './batches.ts'

let database: OpenDatabase
let drop: () => Promise<void>

beforeAll(async () => {
  const own = await createTestDatabase()
  drop = own.drop
  database = openDatabase({ ...own.connection, max: 6 })
  await sql`create table numbers (n int not null)`.execute(database.db)
  await refill()
})
afterAll(async () => {
  await database.close()
  await drop()
})

async function refill() {
  await sql`truncate numbers`.execute(database.db)
  await sql`insert into numbers select generate_series(1, 1050)`.execute(database.db)
}

const numbers = (limit: number | null) => sql<{ n: number }>`select n from numbers order by n limit ${limit}`
const places = createFairShares({ size: 4, mostWaiting: 100, now: () => 0 })
const readingOf = (key: string) => ({
  async begin() {
    const end = await places.enter(key)
    return {
      end,
      get isWanted() {
        return places.waiting > 0
      },
    }
  },
})
const reading = readingOf('a')
const read = (limit: number | null, batchRows?: number) =>
  inBatches(database.db, numbers, limit, reading, batchRows)
const inUse = () => database.pool.totalCount - database.pool.idleCount

async function sizes(batches: AsyncIterable<readonly unknown[]>): Promise<number[]> {
  const found: number[] = []
  for await (const batch of batches) found.push(batch.length)
  return found
}

test.each<[string, number | null, number | undefined, number[]]>([
  ['fewer than a batch', 20, undefined, [20]],
  ['a batch', 100, undefined, [100]],
  ['more', 250, undefined, [100, 100, 50]],
  ['a whole number of batches', 200, undefined, [100, 100]],
  ['large rows', 5, 2, [2, 2, 1]],
  ['nothing', 0, undefined, [0]],
  ['all', null, 500, [500, 500, 50]],
])('%s', async (_what, limit, batchRows, expected) => {
  expect(await sizes(read(limit, batchRows))).toEqual(expected)
  expect(inUse()).toBe(0)
})

test('a long list is of one moment', async () => {
  const batches = read(null)
  const seen = (await batches.next()).value?.map(({ n }: { n: number }) => n) ?? []
  await sql`delete from numbers where n % 2 = 0`.execute(database.db)
  for await (const batch of batches) seen.push(...batch.map(({ n }) => n))
  expect(seen).toEqual(Array.from({ length: 1050 }, (_none, index) => index + 1))
  await refill()
})

test('whoever leaves gives the connection back', async () => {
  for await (const batch of read(null)) {
    expect([batch.length, inUse()]).toEqual([100, 1])
    break
  }
  expect(inUse()).toBe(0)
})

test('whoever leaves keeps no process from its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    for await (const _batch of read(null)) break
    // The pool closes what it has idle after 10 seconds.
    vi.advanceTimersByTime(30_000)
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('many readers leave connections to others, and all come to their end', async () => {
  const read20 = Array.from({ length: 20 }, async () => {
    let batches = 0
    for await (const _batch of read(null)) {
      // Readers ask for more than their rows.
      await sql`select 1`.execute(database.db)
      batches += 1
    }
    return batches
  })
  expect(await Promise.all(read20)).toEqual(read20.map(() => 11))
  expect(inUse()).toBe(0)
})

test('a reader who takes nothing loses the connection, and learns of it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const batches = read(null)
    await batches.next()
    expect(inUse()).toBe(1)
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    await vi.waitFor(() => expect(inUse()).toBe(0))
    await expect(batches.next()).rejects.toThrow('Transaction is already rolled back')
  } finally {
    vi.useRealTimers()
  }
})

test('who takes too little loses the place to whoever waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const slow = Array.from({ length: 4 }, (_none, index) =>
      inBatches(database.db, numbers, null, readingOf(String(index))),
    )
    for (const batches of slow) await batches.next()
    expect(inUse()).toBe(4)
    const waits = sizes(inBatches(database.db, numbers, null, readingOf('new')))
    while (places.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(9_000)
    expect(places.waiting).toBe(1)
    vi.advanceTimersByTime(1_000)
    vi.useRealTimers()
    expect(await waits).toHaveLength(11)
    for (const batches of slow) await expect(batches.next()).rejects.toThrow('rolled back')
    expect([inUse(), places.held]).toEqual([0, 0])
  } finally {
    vi.useRealTimers()
  }
})

test('a query that fails gives the connection back', async () => {
  let calls = 0
  const failing = (limit: number | null) => {
    calls += 1
    return calls === 1 ? numbers(limit) : sql<{ n: number }>`select n / 0 as n from numbers limit ${limit}`
  }
  await expect(sizes(inBatches(database.db, failing, null, reading))).rejects.toThrow('division by zero')
  expect(inUse()).toBe(0)
})
