import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { sql } from 'kysely'

/**
 * Written at the end of a statement of a transaction whose answer nobody looks at: a lock, or a change that is
 * known to find its row. It is sent at once, and waited for together with the next statement or with the commit, which
 * fail in its place.
 */
const mark = '/* unawaited */'
export const unawaited = sql.raw(mark)

/**
 * For statements of one part of many rows: only who has a single part goes on without waiting. The others give the event
 * loop back between two parts, and do not fill the connection faster than the server reads.
 */
export const unawaitedIfOnly = (part: readonly unknown[], all: readonly unknown[]) =>
  part.length === all.length ? unawaited : sql``

const beginning = /^(begin|start transaction)\b/
const ending = /^(commit|rollback)$/

/**
 * The pool, with transactions in fewer round trips: `begin` and what is `unawaited` are on their way together with what
 * comes after them. PostgreSQL runs them one after another, each seeing what was committed while the one before waited
 * for its lock. A round trip costs both sides more processor time than a small statement does.
 */
export function sentTogether(pool: PostgresPool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      const run = client.query as Query
      let isWithin = false
      let sent: Promise<unknown>[] = []
      const query: Query = async (text, values) => {
        const answer = run(text, values)
        const begins = beginning.test(text)
        if (begins) isWithin = true
        else if (ending.test(text)) isWithin = false
        if (begins || (isWithin && text.endsWith(mark))) {
          // Whoever waits for the next statement is told.
          answer.catch(() => undefined)
          sent.push(answer)
          return nothing
        }
        if (sent.length === 0) return answer
        const all = [...sent, answer]
        sent = []
        const ends = await Promise.allSettled(all)
        // Whoever takes all of it back knows why; otherwise what went wrong first is why the others failed.
        const failed = text.startsWith('rollback') ? undefined : ends.find(isRejected)
        if (failed !== undefined) throw failed.reason
        return answer
      }
      return {
        query: query as PostgresPoolClient['query'],
        // Left behind, it would be answered to the next who takes the connection.
        release: (destroy) => client.release(destroy === true || sent.length > 0),
      }
    },
  }
}

const isRejected = (end: PromiseSettledResult<unknown>) => end.status === 'rejected'

const nothing: Answer = { command: '', rowCount: 0, rows: [] }

type Answer = { readonly command: string; readonly rowCount: number; readonly rows: unknown[] }
type Query = (text: string, values: readonly unknown[]) => Promise<unknown>
