import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { EmbeddedPostgresError } from './error.ts'
import { assertReachable, chooseServerUser, type ServerUser, type UserRange } from './server-user.ts'

/**
 * Where everything is. `root` belongs to the manager; `home` and all below it to the server's user, closed
 * to everybody else (0700).
 */
export type DataFolder = {
  readonly root: string
  /** `postgresql/`: socket, log, data. */
  readonly home: string
  /** PostgreSQL's own data directory. */
  readonly data: string
  readonly log: string
  readonly user: ServerUser
}

/** Makes what is missing of the data folder. @throws EmbeddedPostgresError `folder_closed` */
export async function prepareDataFolder(folder: string, reserved?: UserRange): Promise<DataFolder> {
  const given = resolve(folder)
  await assertReachable(
    await nearestExisting(dirname(given)),
    await chooseServerUser(join(given, 'postgresql'), reserved),
  )
  await explained(given, async () => {
    await mkdir(dirname(given), { recursive: true })
    await mkdir(given, { recursive: true, mode: 0o700 })
  })
  // The real path: PostgreSQL's own files and /proc name folders without symbolic links.
  const root = await realpath(given)
  const home = join(root, 'postgresql')
  const user = await chooseServerUser(home, reserved)
  await explained(root, async () => {
    if (user.switched) await openForPassing(root)
    for (const path of [home, join(home, 'log')]) {
      const made = await mkdir(path, { recursive: true, mode: 0o700 })
      // Only what was just made: inside its own folder the server's user could have put a link there.
      if (made !== undefined && user.switched) await chown(path, user.uid, user.gid)
    }
  })
  // What is in it may still be another's: it is handed over when nothing runs there.
  await assertReachable(root, user)
  return { root, home, data: join(home, 'data'), log: join(home, 'log'), user }
}

async function nearestExisting(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  return real ?? (await nearestExisting(dirname(path)))
}

/** The data folder itself is Tutti's, so it may be opened for passing (not for listing); its parents are not. */
async function openForPassing(root: string): Promise<void> {
  const { mode } = await stat(root)
  if ((mode & 0o011) !== 0o011) await chmod(root, (mode & 0o7777) | 0o011)
}

async function explained(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw new EmbeddedPostgresError(
      'folder_closed',
      `the data folder ${path} cannot be made or changed: ${(error as Error).message}. Choose a data folder ` +
        `that the user id ${process.getuid?.()} may write to`,
      { cause: error },
    )
  }
}

/** `sun_path` of unix(7) holds 108 bytes on Linux and 104 on macOS, one of them the final NUL. */
const socketPathBytes = process.platform === 'linux' ? 107 : 103
const socketName = '.s.PGSQL.5432'

/** The socket of a server that listens in `folder`. The number is a name only: no TCP port is open. */
export const socketPath = (folder: string): string => join(folder, socketName)

/**
 * The folder for the socket: `home`, where it is as protected as the data. When that path is longer than a
 * socket's may be, a new folder with a short name under the system's temporary folder, closed (0700) and
 * randomly named, so that nobody can prepare it for us. Servers are found again through postmaster.pid.
 */
export async function chooseSocketFolder({ root, home, user }: DataFolder): Promise<string> {
  if (Buffer.byteLength(socketPath(home)) <= socketPathBytes) return home
  const name = `tutti-${createHash('sha256').update(root).digest('hex').slice(0, 8)}-`
  for (const base of [tmpdir(), '/tmp']) {
    if (Buffer.byteLength(socketPath(join(base, `${name}XXXXXX`))) > socketPathBytes) continue
    const folder = await mkdtemp(join(base, name))
    if (user.switched) await chown(folder, user.uid, user.gid)
    await assertReachable(folder, user)
    return folder
  }
  throw new EmbeddedPostgresError(
    'folder_closed',
    `the path of the socket, ${socketPath(home)}, is longer than the ${socketPathBytes} bytes that the system ` +
      'allows, and so is one in the temporary folder. Choose a data folder with a shorter path',
  )
}
