import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EmbeddedPostgresError } from './error.ts'

/** The operating system's user that PostgreSQL runs as. */
export type ServerUser = {
  readonly uid: number
  readonly gid: number
  /** True when this process is root and hands the server, and its files, over to another user. */
  readonly switched: boolean
}

export type UserRange = { readonly first: number; readonly last: number }

/** Among those that Debian and others leave free: no program gives out ids from here by itself. */
const ownUsers: UserRange = { first: 54_320, last: 54_419 }

/** `nobody` of every system, whatever its /etc/passwd says. */
const sharedUid = 65_534

/**
 * PostgreSQL refuses to run as root. As root it runs as the user that already owns its files, else as the user `tutti`
 * where an administrator has made one, else as a user id of its own, which needs no entry in /etc/passwd. Never as
 * `nobody`, who is whoever else runs as that: files of an older Tutti that are theirs are given to the new user.
 *
 * @throws EmbeddedPostgresError `start_failed`
 */
export async function chooseServerUser(existingFolder: string, reserved?: UserRange): Promise<ServerUser> {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  if (uid !== 0) return { uid, gid, switched: false }
  const accounts = await readAccounts()
  const owner = await stat(existingFolder).catch(() => undefined)
  const isShared = (id: number) =>
    id === 0 || id === sharedUid || accounts.get('nobody')?.uid === id || isIn(reserved, id)
  if (owner !== undefined && !isShared(owner.uid)) return { uid: owner.uid, gid: owner.gid, switched: true }
  const own = accounts.get('tutti')
  if (own !== undefined && !isShared(own.uid)) return { ...own, switched: true }
  const taken = new Set([...[...accounts.values()].map((one) => one.uid), ...(await runningUsers())])
  for (let id = ownUsers.first; id <= ownUsers.last; id += 1) {
    if (!taken.has(id) && !isIn(reserved, id)) return { uid: id, gid: id, switched: true }
  }
  throw new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL refuses to run as root, and all user ids from ${ownUsers.first} to ${ownUsers.last} are taken. Make a ` +
      'user for it (`useradd --system tutti`), or start Tutti as an ordinary user',
  )
}

const isIn = (range: UserRange | undefined, id: number): boolean =>
  range !== undefined && id >= range.first && id <= range.last

/**
 * A user with an entry in /etc/passwd, which `initdb` looks up, for the moment that it runs: `user` where it has one, else
 * one that no process runs as, so that nobody is there who could reach into what is being made.
 */
export async function userForInitdb(user: ServerUser): Promise<ServerUser> {
  const accounts = [...(await readAccounts()).values()]
  if (!user.switched || accounts.some((one) => one.uid === user.uid)) return user
  const running = await runningUsers()
  const unused = accounts.find((one) => one.uid !== 0 && one.uid !== sharedUid && !running.has(one.uid))
  if (unused !== undefined) return { ...unused, switched: true }
  throw new EmbeddedPostgresError(
    'start_failed',
    'initdb of PostgreSQL needs a user with an entry in /etc/passwd that nothing runs as, and there is none. Make one ' +
      '(`useradd --system tutti`), or start Tutti as an ordinary user',
  )
}

type Account = { readonly uid: number; readonly gid: number }

async function readAccounts(): Promise<ReadonlyMap<string, Account>> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const accounts = new Map<string, Account>()
  for (const line of text.split('\n')) {
    const [name = '', , uid, gid] = line.split(':')
    if (uid !== undefined && gid !== undefined) accounts.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  return accounts
}

/** Ids of the users that processes on this machine run as. */
async function runningUsers(): Promise<ReadonlySet<number>> {
  const names = await readdir('/proc').catch(() => [])
  const processes = names.filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(processes.map((pid) => stat(`/proc/${pid}`).catch(() => undefined)))
  return new Set(stats.flatMap((one) => (one === undefined ? [] : [one.uid])))
}

/** @throws EmbeddedPostgresError `folder_closed` when `user` may not pass through a folder on the way to `path`. */
export async function assertReachable(path: string, user: ServerUser): Promise<void> {
  const closed = await closedFolder(path, user)
  if (closed === undefined) return
  throw new EmbeddedPostgresError(
    'folder_closed',
    `PostgreSQL cannot reach ${path}: the folder ${closed} is closed to the user id ${user.uid} that it runs ` +
      'as (it refuses to run as root). Choose a data folder that others may pass through, for example ' +
      `/var/lib/tutti, or open that folder for passing (\`chmod o+x ${closed}\`)`,
  )
}

/** The outermost folder at or above `path` that `user` may not pass through. Access lists are not looked at. */
export async function closedFolder(
  path: string,
  user: Pick<ServerUser, 'uid' | 'gid'>,
): Promise<string | undefined> {
  const above = dirname(path) === path ? undefined : await closedFolder(dirname(path), user)
  if (above !== undefined) return above
  const { uid, gid, mode } = await stat(path)
  const search = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  return (mode & search) === 0 ? path : undefined
}
