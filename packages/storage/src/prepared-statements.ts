import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool } from 'pg'

/**
 * The pool, with statements that come again and again prepared: PostgreSQL then parses each once for a connection, and
 * mostly plans it once. Measured in small installs, parsing and planning were half of PostgreSQL's processor time.
 */
export function withPreparedStatements(pool: Pool): PostgresPool {
  const nameOf = statementNames()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      let isOutdated = false
      const noteOutdated = (error: unknown) => {
        isOutdated ||= (error as { readonly code?: unknown }).code === resultTypeChanged
        throw error
      }
      // Kysely's type has a second form, with a cursor, for streamed selects, of which there are none.
      const query = ((text: string, values: readonly unknown[]) => {
        const name = isControl.test(text) ? undefined : nameOf(text)
        const statement = { text, values: [...values], ...(name !== undefined && { name }) }
        return client.query(statement).catch(noteOutdated)
      }) as unknown as PostgresPoolClient['query']
      return { query, release: (destroy) => client.release(destroy === true || isOutdated) }
    },
  }
}

/**
 * SQLSTATE feature_not_supported: a newer Tutti on the same database has added a column to a table of which a prepared
 * statement returns all. The statement works again on a new connection.
 */
const resultTypeChanged = '0A000'

/** One round trip as it is, by the simple protocol; what is fetched from a cursor has the columns of that cursor. */
const isControl = /^(begin|start transaction|commit|rollback|savepoint|release|declare|fetch)\b/

/** Texts that differ by what is filtered, sorted or listed come too seldom to be worth a place. */
const usesBeforePrepared = 5
/** Each is a plan in the memory of each connection. */
const mostPrepared = 300
const mostCounted = 3_000

function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  const uses = new Map<string, number>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= mostPrepared) return known
    const count = (uses.get(text) ?? 0) + 1
    if (uses.size >= mostCounted) uses.clear()
    uses.set(text, count)
    if (count < usesBeforePrepared) return undefined
    uses.delete(text)
    const name = `tutti_${names.size}`
    names.set(text, name)
    return name
  }
}
