import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type OpenDatabase, openDatabase } from '../database.ts'
import { createFairShares } from '../shares/fair-shares.ts'
import { createTestDatabase } from '../testing/index.ts'
import { inBatches, type JsonBatch } from './batches.ts'

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

const numbers = (limit: number | null) =>
  sql`select to_json(n) as item from numbers order by n limit ${limit}`
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
const read = (limit: number | null, atOnce = 100) =>
  inBatches(database.db, { items: numbers, limit, atOnce }, reading)
const inUse = () => database.pool.totalCount - database.pool.idleCount

async function sizes(batches: AsyncIterable<JsonBatch>): Promise<number[]> {
  const found: number[] = []
  for await (const { count } of batches) found.push(count)
  return found
}

test.each<[string, number | null, number | undefined, number[]]>([
  ['fewer than a batch', 20, undefined, [20]],
  ['a batch', 100, undefined, [100]],
  ['what comes at once', 250, undefined, [250]],
  ['as much as that', 1000, undefined, [1000]],
  ['more', 1001, undefined, [...Array.from({ length: 10 }, () => 100), 1]],
  ['a whole number of batches', 1050, 105, Array.from({ length: 10 }, () => 105)],
  ['large rows', 5, 2, [2, 2, 1]],
  ['nothing', 0, undefined, [0]],
  ['all', null, 500, [500, 500, 50]],
])('%s', async (_what, limit, batchRows, expected) => {
  expect(await sizes(read(limit, batchRows))).toEqual(expected)
  expect(inUse()).toBe(0)
})

test('rows that are larger than what comes at once come a few at a time, whole', async () => {
  const items = (limit: number | null) =>
    sql`select to_json(repeat('x', 2 * 1024 * 1024)) as item from numbers limit ${limit}`
  expect(await sizes(inBatches(database.db, { items, limit: 5, atOnce: 2 }, reading))).toEqual([2, 2, 1])
  expect(await sizes(inBatches(database.db, { items, limit: 5 }, reading))).toEqual([5])
  expect(await sizes(inBatches(database.db, { items, limit: 1 }, reading))).toEqual([1])
})

test('a long list is of one moment', async () => {
  const batches = read(null)
  const first = (await batches.next()).value?.text
  const seen = [first]
  await sql`delete from numbers where n % 2 = 0`.execute(database.db)
  for await (const { text } of batches) seen.push(text)
  expect(JSON.parse(`[${seen.join(',')}]`)).toEqual(Array.from({ length: 1050 }, (_none, index) => index + 1))
  await refill()
})

test('whoever leaves gives the connection back', async () => {
  for await (const batch of read(null)) {
    expect([batch.count, inUse()]).toEqual([100, 1])
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
    await vi.waitFor(() => expect(inUse()).toBe(0), { timeout: 60_000 })
    await expect(batches.next()).rejects.toThrow('Transaction is already rolled back')
  } finally {
    vi.useRealTimers()
  }
})

test('who takes too little loses the place to whoever waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const slow = Array.from({ length: 4 }, (_none, index) =>
      inBatches(database.db, { items: numbers, limit: null }, readingOf(String(index))),
    )
    for (const batches of slow) await batches.next()
    expect(inUse()).toBe(4)
    const waits = sizes(inBatches(database.db, { items: numbers, limit: null }, readingOf('new')))
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
    return calls === 1 ? numbers(limit) : sql`select to_json(n / 0) as item from numbers limit ${limit}`
  }
  await expect(sizes(inBatches(database.db, { items: failing, limit: null }, reading))).rejects.toThrow(
    'division by zero',
  )
  expect(inUse()).toBe(0)
})
