import { Kysely, type Transaction as KyselyTransaction, PostgresDialect, type PostgresPool } from 'kysely'
import { Pool, type PoolConfig, types } from 'pg'
import type { Registry } from 'prom-client'
import { type AuditCaller, announcing } from './audit/caller.ts'
import { measureDatabase } from './database-metrics.ts'
import { answersWithin, withDeadlines } from './deadlines.ts'
import { withPreparedStatements } from './prepared-statements.ts'
import type { Schema } from './schema.ts'
import { sentTogether } from './sent-together.ts'

export type Database = Kysely<Schema>

/** What must happen as a whole takes one: a `Database` that is none does not pass for it. */
export type Transaction = KyselyTransaction<Schema>

/** What `openDatabase` hands out: the queries' entry and the pool behind it, closed together. */
export type OpenDatabase = {
  readonly db: Database
  readonly pool: Pool
  /** The same database for one request that changes something: the audit log names its caller. */
  as(caller: AuditCaller): Database
  close(): Promise<void>
}

/** int8: counts, sizes and row numbers stay far below 2^53, and as numbers they print as JSON numbers. */
const int8 = 20
types.setTypeParser(int8, Number)

/** pg keeps the JSON.parse of when it was loaded; the one of `exact-json.ts` in api may have come later. */
for (const json of [114, 3802]) types.setTypeParser(json, (text) => JSON.parse(text))

/** An error is better than a request that hangs. */
const defaultSilenceMs = 15_000

/** One that takes longer is a fault: what is large is done in parts. */
const statementsPerSilence = 4

/**
 * A process that is halted, or a machine that loses its power, in the middle of a transaction leaves its locks behind
 * until the system notices, which takes hours by default. No transaction of ours waits for anything but the database.
 */
const defaultIdleInTransactionMs = 15_000

export type DatabaseOptions = PoolConfig & {
  readonly onIdleError?: (error: Error) => void
  /** How long anybody waits for a connection, a lock, or a server that says nothing. */
  readonly silenceMs?: number
  /** After how long without a word the locks of a transaction are taken from it. */
  readonly idleInTransactionMs?: number
  /** Where connections and statements are counted. */
  readonly metrics?: Registry
}

/**
 * Opens a pool on a PostgreSQL 15 or newer.
 *
 * A connection that breaks while idle (the server was restarted) is dropped from the pool and reported to
 * `onIdleError`; the next query opens a new one.
 */
export function openDatabase(config: DatabaseOptions): OpenDatabase {
  const {
    onIdleError,
    silenceMs = defaultSilenceMs,
    idleInTransactionMs = defaultIdleInTransactionMs,
    metrics,
    ...poolConfig
  } = config
  const statementMs = silenceMs * statementsPerSilence
  const pool = new Pool({
    max: 20,
    application_name: 'tutti',
    connectionTimeoutMillis: silenceMs,
    lock_timeout: silenceMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    pipeline: true,
    ...poolConfig,
  })
  let isClosing = false
  pool.on('error', (error: Error & { client?: unknown }) => {
    // pg-pool hangs the whole client on the error: pages of state that no log needs.
    delete error.client
    // A server that stops right afterwards may be faster than the goodbye of a connection.
    if (!isClosing) onIdleError?.(error)
  })
  // The pool looks after idle connections only. One that breaks between two statements of a transaction has nobody
  // to tell until the next statement fails, and an event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const measured =
    metrics === undefined
      ? withPreparedStatements(pool)
      : measureDatabase(metrics, pool)(withPreparedStatements(pool))
  const limited = withDeadlines(measured, { silenceMs, statementMs }, (limitMs) =>
    answersWithin(poolConfig, limitMs),
  )
  const connections = sentTogether(limited)
  const databaseOn = (pool: PostgresPool) => new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const db = databaseOn(connections)
  return {
    db,
    pool,
    as: (caller) => databaseOn(announcing(connections, caller)),
    async close() {
      isClosing = true
      await db.destroy()
    },
  }
}

/** Text for a `json` column. */
export function toJson(value: unknown): string {
  return JSON.stringify(value ?? null)
}
