import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { ConnectionConfig } from '../embedded/index.ts'
import { templateDatabase } from './global-setup.ts'

export type TestDatabase = {
  /** For `new Pool(…)` of `pg`. */
  readonly connection: ConnectionConfig
  /** For what takes a URL. */
  readonly connectionString: string
  /** Breaks connections that are still open. */
  readonly drop: () => Promise<void>
}

/** A new database with the whole schema and no rows, of its own: a clone of the run's migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('testPostgres')
  const database = `test_${randomUUID().replaceAll('-', '')}`
  await run(server, `create database ${database} template ${templateDatabase}`)
  const connection = { ...server, database }
  return {
    connection,
    connectionString: `postgresql://${server.user}@${encodeURIComponent(server.host)}:${server.port}/${database}`,
    drop: async () => {
      await untilNobodyIsConnected(server, database)
      await run(server, `drop database ${database} with (force)`)
    },
  }
}

async function run(server: ConnectionConfig, sql: string): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/**
 * A closed connection takes the server a moment to notice; forcing it meanwhile would reach the closing client as an
 * error that nobody listens for. Who still holds a connection after that has it broken.
 */
async function untilNobodyIsConnected(server: ConnectionConfig, database: string): Promise<void> {
  const client = new Client(server)
  await client.connect()
  try {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { rows } = await client.query('select from pg_stat_activity where datname = $1 limit 1', [
        database,
      ])
      if (rows.length === 0) return
      await delay(20)
    }
  } finally {
    await client.end()
  }
}
