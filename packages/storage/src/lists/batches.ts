import type { JsonItems, ListQuery, Reading, ReadingPlace } from '@tutti/api'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { fixedOnce } from './fixed.ts'
import type { Settling } from './resource.ts'

/** Plans and the like take megabytes each; ids and times next to nothing. */
export const batchRows = { light: 1000, usual: 100, large: 2 } as const

/** So much comes in one answer of the database, whatever the rows hold. */
const wholeBytes = 4 * 2 ** 20
/** And so many rows, so that no statement reads a table for nothing: rows of that number mostly fit. */
const wholeRows = 1_000

/** So many rows a page has at most; null: all. */
export const sizeOf = ({ page, getAllResults }: Pick<ListQuery, 'page' | 'getAllResults'>): number | null =>
  getAllResults ? null : page.size

/** What is asked together with the rows, when all of them come at once. */
export type Beside = {
  /** How many rows there are; asked when the rows that come do not say it. */
  readonly total: RawBuilder<unknown>
  /** How many there are without rules. */
  readonly all?: RawBuilder<unknown>
  readonly settling?: Settling | undefined
}

/** Undefined where the rows say it, or where it was not asked. */
export type Counts = { readonly total: number | null; readonly all: number | null }

export type JsonBatch = JsonItems & {
  /** Only with rows that came at once. */
  readonly counts?: Counts
}

type Page = {
  /** The query of one JSON column, `item`, with so many rows at most; null: with all. */
  readonly items: (limit: number | null) => RawBuilder<unknown>
  readonly limit: number | null
  readonly offset?: number
  readonly beside?: Beside
  readonly atOnce?: number
}

/**
 * The rows of a query as JSON, as fast as they are taken: all of them may be more than memory holds. What is not much is
 * one statement with one row, counts included: the database writes JSON faster than we do, and a value for each column
 * of each row is what reading costs most. More than that comes from a cursor, a few rows at a time, so that all are of
 * one moment; it holds a connection, which is taken back from whoever takes rows too slowly.
 *
 * @param reading whoever reads from a cursor waits there for a place
 */
export async function* inBatches(db: Database, page: Page, reading: Reading): AsyncGenerator<JsonBatch> {
  const { items, limit, atOnce = batchRows.usual } = page
  const most = atOnce < batchRows.usual ? atOnce : wholeRows
  const whole = await readWhole(db, page, limit === null ? most : Math.min(limit, most))
  if (whole.count === whole.found && (whole.found < most || whole.found === limit)) {
    const { count, text, total, all } = whole
    yield { count, text, counts: { total, all } }
    return
  }
  const place = await reading.begin()
  const cursor = await openCursor(db, items(limit)).catch((error: unknown) => {
    place.end()
    throw error
  })
  const close = once(() => cursor.close().finally(() => place.end()))
  const patience = newPatience(place, close)
  try {
    for (;;) {
      const batch = await cursor.fetch(atOnce)
      if (batch.length > 0) {
        const stop = patience.begin()
        try {
          yield { count: batch.length, text: batch.join(',') }
        } finally {
          stop()
        }
      }
      if (batch.length < atOnce) return
    }
  } finally {
    await close()
  }
}

type Whole = JsonItems &
  Counts & {
    /** How many rows there are of those asked for; `text` may have fewer. */
    readonly found: number
    readonly isDue: boolean
  }

async function readWhole(db: Database, page: Page, limit: number): Promise<Whole> {
  const settling = page.beside?.settling
  const first = await selectWhole(db, page, limit)
  if (settling === undefined || !first.isDue) return first
  await settling.settle(db)
  return selectWhole(db, page, limit)
}

/** `offset 0`: a row's text is made once, not once for each use of it. */
async function selectWhole(
  db: Database,
  { items, limit: size, offset = 0, beside }: Page,
  limit: number,
): Promise<Whole> {
  const isFull = size === null ? sql`false` : sql`count(*) >= ${size}`
  const total = sql`case when ${isFull} or (count(*) = 0 and ${offset}::bigint > 0) then (${beside?.total}) end`
  const { rows: answer } = await sql<Whole>`
    select coalesce(string_agg(item, ',') filter (where bytes <= ${sql.lit(wholeBytes)}), '') as text,
      count(*) filter (where bytes <= ${sql.lit(wholeBytes)}) as count, count(*) as found,
      ${beside === undefined ? sql`null` : total} as total,
      ${beside?.all === undefined ? sql`null` : sql`(${beside.all})`} as "all",
      ${beside?.settling === undefined ? sql`false` : fixedOnce(beside.settling.isDue)} as "isDue"
    from (
      select item, sum(octet_length(item)) over (rows unbounded preceding) as bytes
      from (select item::text as item from (${items(limit)}) as page offset 0) as texts
    ) as measured`.execute(db)
  const [whole] = answer
  if (whole === undefined) throw new Error('an aggregate has one row')
  return whole
}

/** So long nothing may be taken, */
const patienceMs = 60_000
/** and so long in all may be waited for the client, who keeps the database from cleaning up all the while. */
const mostWaitedMs = 15 * 60_000
/** While others wait for the place: so long in a row, and a second more for every batch that was taken. */
const contendedMs = 10_000
const stepMs = 1_000

/** Takes the place back from who is too slow, looking once a second. */
function newPatience(place: ReadingPlace, giveUp: () => Promise<void>) {
  let waitedMs = 0
  let creditMs = contendedMs
  return {
    begin() {
      let idleMs = 0
      let timer = setTimeout(look, stepMs)
      function look() {
        idleMs += stepMs
        waitedMs += stepMs
        if (place.isWanted) creditMs -= stepMs
        if (idleMs >= patienceMs || waitedMs >= mostWaitedMs || creditMs <= 0) return void giveUp()
        timer = setTimeout(look, stepMs)
      }
      return () => {
        clearTimeout(timer)
        creditMs = Math.min(contendedMs, creditMs + stepMs)
      }
    },
  }
}

async function openCursor(db: Database, query: RawBuilder<unknown>) {
  const transaction = await db.startTransaction().setAccessMode('read only').execute()
  // Its connection may be gone, with whatever has gone wrong.
  const close = () =>
    transaction
      .rollback()
      .execute()
      .then(
        () => undefined,
        () => undefined,
      )
  try {
    await sql`set local idle_in_transaction_session_timeout = ${sql.lit(2 * patienceMs)}`.execute(transaction)
    await sql`declare listed no scroll cursor for select item::text as item from (${query}) as listed`.execute(
      transaction,
    )
  } catch (error) {
    await close()
    throw error
  }
  return {
    close,
    async fetch(count: number): Promise<readonly string[]> {
      const { rows } = await sql<{ item: string }>`fetch ${sql.lit(count)} from listed`.execute(transaction)
      return rows.map(({ item }) => item)
    },
  }
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= act()
    return done
  }
}
