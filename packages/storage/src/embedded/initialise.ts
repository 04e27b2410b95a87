import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Binaries } from './binaries.ts'
import type { DataFolder } from './data-folder.ts'
import { EmbeddedPostgresError } from './error.ts'
import { handOver } from './hand-over.ts'
import { serverEnvironment } from './server-process.ts'
import { type ServerUser, userForInitdb } from './server-user.ts'

export const superuser = 'tutti'

/**
 * Makes the data directory when there is none: `initdb` into a temporary name, then a rename, so that a
 * directory named `data` is always whole. Who may connect is written at each start (access-files.ts).
 *
 * @throws EmbeddedPostgresError `initialisation_failed`, `version_mismatch`
 */
export async function initialise(folder: DataFolder, binaries: Binaries): Promise<'made' | 'found'> {
  await removeUnfinished(folder)
  if (await assertVersion(folder, binaries)) return 'found'
  const user = await userForInitdb(folder.user)
  // Not in `home`, which is closed to a user that is only borrowed.
  const unfinished = join(folder.root, `${unfinishedName}${randomUUID()}`)
  await mkdir(unfinished, { mode: 0o700 })
  if (user.switched) await chown(unfinished, user.uid, user.gid)
  const { code, output } = await runInitdb(user, binaries, unfinished)
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true })
    throw new EmbeddedPostgresError(
      'initialisation_failed',
      `PostgreSQL could not make its data directory ${folder.data}; nothing was left behind. initdb ended with ` +
        `${code}:\n${output.trim()}`,
    )
  }
  await handOver(unfinished, folder.user)
  await rename(unfinished, folder.data)
  await sync(folder.home)
  return 'made'
}

async function runInitdb(user: ServerUser, { initdb }: Binaries, directory: string) {
  const child = spawn(
    initdb,
    [
      `--pgdata=${directory}`,
      `--username=${superuser}`,
      '--auth-local=peer',
      '--auth-host=reject',
      // Text is ordered by code point, by PostgreSQL itself: fast, and no upgrade of the system's own
      // collations can invalidate an index.
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
    ],
    {
      cwd: directory,
      env: serverEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user.switched ? { uid: user.uid, gid: user.gid } : {}),
    },
  )
  const code = new Promise<string | number>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', (status, signal) => resolve(status ?? signal ?? 'no status'))
  })
  // Progress goes to standard output; only what went wrong matters.
  child.stdout.resume()
  return { output: await text(child.stderr), code: await code }
}

/** True when a data directory of the right version is there. */
async function assertVersion({ data }: DataFolder, { majorVersion }: Binaries): Promise<boolean> {
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (version === undefined) return await assertAbsent(data)
  if (version.trim() === majorVersion) return true
  throw new EmbeddedPostgresError(
    'version_mismatch',
    `the data directory ${data} was written by PostgreSQL ${version.trim()}, and this Tutti brings PostgreSQL ` +
      `${majorVersion}. Start the Tutti that wrote it, dump the database with pg_dump, and restore it here ` +
      'into a new data folder',
  )
}

async function assertAbsent(data: string): Promise<false> {
  const names = await readdir(data).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (names === undefined) return false
  throw new EmbeddedPostgresError(
    'initialisation_failed',
    `${data} is there but is not a PostgreSQL data directory (no PG_VERSION in it). Tutti does not overwrite ` +
      'what it did not make: restore it from a backup, or move it away to begin with an empty database',
  )
}

const unfinishedName = 'initdb-'

async function removeUnfinished({ root }: DataFolder): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(unfinishedName)) await rm(join(root, name), { recursive: true, force: true })
  }
}

/** A rename is durable when its folder is. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
