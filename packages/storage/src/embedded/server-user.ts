import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EmbeddedPostgresError } from './error.ts'

/** The operating system's user that PostgreSQL runs as. */
export type ServerUser = {
  readonly uid: number
  readonly gid: number
  /** True when this process is root and hands the server, and its files, over to another user. */
  readonly switched: boolean
}

/**
 * PostgreSQL refuses to run as root. As root it runs as the user that already owns its files, else as the
 * user `tutti` where an administrator has made one (it keeps the database apart from other services of
 * `nobody`), else as `nobody`. It has to be an entry of /etc/passwd: initdb looks its own name up.
 */
export async function chooseServerUser(existingFolder: string): Promise<ServerUser> {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  if (uid !== 0) return { uid, gid, switched: false }
  const owner = await stat(existingFolder).catch(() => undefined)
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, switched: true }
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const found = findUser(users, 'tutti') ?? findUser(users, 'nobody')
  if (found !== undefined) return { ...found, switched: true }
  throw new EmbeddedPostgresError(
    'start_failed',
    'PostgreSQL refuses to run as root, and /etc/passwd has neither a user `tutti` nor a user `nobody` to ' +
      'run it as. Make one (`useradd --system tutti`), or start Tutti as an ordinary user',
  )
}

function findUser(passwd: string, name: string): { uid: number; gid: number } | undefined {
  const line = passwd.split('\n').find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
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
