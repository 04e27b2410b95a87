import type { ListQuery, Reading, ReadingPlace } from '@tutti/api'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'

/** Plans and the like take megabytes each; ids and times next to nothing. */
export const batchRows = { light: 1000, usual: 100, large: 2 } as const

/** So many rows a page has at most; null: all. */
export const sizeOf = ({ page, getAllResults }: Pick<ListQuery, 'page' | 'getAllResults'>): number | null =>
  getAllResults ? null : page.size

/**
 * The rows of a query a few at a time, as fast as they are taken: all of them may be more than memory holds. Few rows
 * are one query. More of them come from a cursor, so that all are of one moment; it holds a connection, which is taken
 * back from whoever takes rows too slowly.
 *
 * @param rows the query with so many rows at most; null: with all
 * @param reading whoever reads more than a batch waits there for a place
 */
export async function* inBatches<Row>(
  db: Database,
  rows: (limit: number | null) => RawBuilder<Row>,
  limit: number | null,
  reading: Reading,
  atOnce: number = batchRows.usual,
): AsyncGenerator<readonly Row[]> {
  const few = await rows(limit === null ? atOnce : Math.min(limit, atOnce)).execute(db)
  if (few.rows.length < atOnce || few.rows.length === limit) {
    yield few.rows
    return
  }
  const place = await reading.begin()
  const cursor = await openCursor(db, rows(limit)).catch((error: unknown) => {
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
          yield batch
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

async function openCursor<Row>(db: Database, query: RawBuilder<Row>) {
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
    await sql`declare listed no scroll cursor for ${query}`.execute(transaction)
  } catch (error) {
    await close()
    throw error
  }
  return {
    close,
    fetch: async (count: number) =>
      (await sql<Row>`fetch ${sql.lit(count)} from listed`.execute(transaction)).rows,
  }
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= act()
    return done
  }
}
