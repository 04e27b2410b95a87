import type { ListQuery } from '@tutti/api'
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
 * back from whoever takes nothing for a minute.
 *
 * @param rows the query with so many rows at most; null: with all
 */
export async function* inBatches<Row>(
  db: Database,
  rows: (limit: number | null) => RawBuilder<Row>,
  limit: number | null,
  atOnce: number = batchRows.usual,
): AsyncGenerator<readonly Row[]> {
  const few = await rows(limit === null ? atOnce : Math.min(limit, atOnce)).execute(db)
  if (few.rows.length < atOnce || few.rows.length === limit) {
    yield few.rows
    return
  }
  const leave = await enter()
  const cursor = await openCursor(db, rows(limit)).catch((error: unknown) => {
    leave()
    throw error
  })
  const close = once(() => cursor.close().finally(leave))
  try {
    for (;;) {
      const batch = await cursor.fetch(atOnce)
      if (batch.length > 0) {
        const late = setTimeout(close, patienceMs)
        try {
          yield batch
        } finally {
          clearTimeout(late)
        }
      }
      if (batch.length < atOnce) return
    }
  } finally {
    await close()
  }
}

const patienceMs = 60_000

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

/** So many readers of long lists at once leave most connections to everybody else; more of them wait. */
const mostReaders = 4
let readers = 0
const waiting: (() => void)[] = []

async function enter(): Promise<() => void> {
  if (readers < mostReaders) readers += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  return () => {
    const next = waiting.shift()
    if (next === undefined) readers -= 1
    else next()
  }
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= act()
    return done
  }
}
