import { migrate, openDatabase } from '@tutti/storage'
import { Client, type PoolConfig } from 'pg'

/** Interim, until the harness of packages/storage is here: clones a migrated template on the server of the environment. */
export async function createTestDatabase(): Promise<{ config: PoolConfig; close(): Promise<void> }> {
  const server: PoolConfig = { host: '/tmp/fpg', port: 5599, user: 'postgres' }
  const name = `t_${process.pid}_${Math.random().toString(36).slice(2)}`
  await withClient({ ...server, database: 'postgres' }, (client) => client.query(`create database ${name}`))
  const config = { ...server, database: name }
  const database = openDatabase(config)
  await migrate(database.db)
  await database.close()
  return {
    config,
    close: () =>
      withClient({ ...server, database: 'postgres' }, async (client) => {
        await client.query(`drop database ${name} with (force)`)
      }),
  }
}

async function withClient(config: PoolConfig, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(config)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
