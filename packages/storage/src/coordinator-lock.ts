import { Client, type PoolConfig } from 'pg'

/** Any number that no other advisory lock on the database has. */
const key = 7_488_501

export type CoordinatorLock = {
  /** True when it was free, or is held here already. */
  take(): Promise<boolean>
  /** Shows that the holder lives. @throws when the connection, and with it the lock, is lost */
  hold(): Promise<void>
  close(): Promise<void>
}

/**
 * The lock that makes one process of all the leader, on a connection of its own: it is free again as soon as that
 * connection ends, which the server sees to after `silenceMs` without a word.
 */
export async function coordinatorLock(config: PoolConfig, silenceMs: number): Promise<CoordinatorLock> {
  const client = new Client({
    ...config,
    application_name: 'tutti-coordinator',
    connectionTimeoutMillis: silenceMs,
    statement_timeout: silenceMs,
    query_timeout: silenceMs,
    keepAlive: true,
  })
  // What breaks is told by the next question.
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`set idle_session_timeout = ${Math.round(silenceMs)}`)
  return {
    async take() {
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
        key,
      ])
      return rows[0]?.taken === true
    },
    async hold() {
      await client.query('select')
    },
    close: () => client.end().catch(() => undefined),
  }
}
