/**
 * vitest globalSetup: one PostgreSQL for the whole run, in the system's temporary folder, removed at the end.
 * Its `fsync` is off: here, and only here, nothing has to survive a power cut.
 */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { lockDataFolder } from '../embedded/data-folder-lock.ts'
import { type ConnectionConfig, type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/index.ts'
import { findRunningServer, whenNoProcessWorksIn } from '../embedded/postmaster-file.ts'
import { prepareTemplate } from './prepare-template.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: Vitest's own is added to
  interface ProvidedContext {
    readonly testPostgres: ConnectionConfig
  }
}

export const templateDatabase = 'tutti_template'

const prefix = 'tutti-test-postgres-'
let folder: string
let postgres: EmbeddedPostgres

export async function setup(project: TestProject): Promise<void> {
  await removeAbandoned()
  folder = await mkdtemp(join(tmpdir(), prefix))
  await chmod(folder, 0o711)
  postgres = await startEmbeddedPostgres({
    dataFolder: folder,
    log: () => undefined,
    settings: { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '200' },
  })
  await makeTemplate(postgres.connection)
  project.provide('testPostgres', postgres.connection)
}

export async function teardown(): Promise<void> {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

async function makeTemplate(connection: ConnectionConfig): Promise<void> {
  const client = new Client(connection)
  await client.connect()
  try {
    await client.query(`create database ${templateDatabase}`)
    await prepareTemplate({ ...connection, database: templateDatabase })
  } finally {
    await client.end()
  }
}

/** What runs left behind that were killed before their teardown: a folder, perhaps with a running server. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const abandoned = join(tmpdir(), name)
    // A run that is just starting has made its folder but does not own it yet.
    const wasOwned = (await readdir(abandoned).catch(() => [])).some((file) => file.startsWith('owner-'))
    if (!wasOwned) continue
    // A folder in use by another run, or of another user, is left alone.
    const lock = await lockDataFolder(abandoned, async () => false).catch(() => undefined)
    if (lock === undefined) continue
    const data = join(abandoned, 'postgresql', 'data')
    const server = await findRunningServer(data).catch(() => undefined)
    if (server !== undefined) process.kill(server.identity.pid, 'SIGQUIT')
    await whenNoProcessWorksIn(data)
    await rm(abandoned, { recursive: true, force: true })
  }
}
