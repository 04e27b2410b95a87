import { type SpawnOptions, spawn } from 'node:child_process'
import { chmod, lchown, mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { withoutNewPrivileges } from './setpriv.ts'

/** User ids of the operating system that operations run as: one for each tenant, by the tenant's id. */
export type UserIds = { readonly first: number; readonly last: number }

/** Whom an operation runs as; its group has the same number. Null: whoever runs the worker. */
export type OperationUser = number | null

/** @throws Error when there are more tenants than ids */
export function operationUser(ids: UserIds | undefined, tenantId: number): OperationUser {
  if (ids === undefined) return null
  const user = ids.first + tenantId
  if (user < ids.last) return user
  throw new Error(
    `there is no user id for tenant ${tenantId}: --operation-users ends with ${ids.last}, which installs plugins, and ` +
      `${user} is needed`,
  )
}

/** Whom plugins are installed as: no tenant's, so that no tenant can change what others will run. */
export const installingUser = (ids: UserIds | undefined): OperationUser => ids?.last ?? null

/** Gives a file or folder to the operation's user: itself, should it be a link. */
export async function handOver(path: string, user: OperationUser): Promise<void> {
  if (user !== null) await lchown(path, user, user)
}

/** A lasting folder of that user's own, below one that nobody may look through. */
export async function ownFolder(parent: string, user: OperationUser): Promise<string> {
  if (user === null) {
    await mkdir(parent, { recursive: true, mode: 0o700 })
    // It may have been open for passing to the users of operations.
    await chmod(parent, 0o700)
    return parent
  }
  const folder = join(parent, String(user))
  await mkdir(parent, { recursive: true, mode: 0o711 })
  // It may be there from a time when all operations ran as the worker's user.
  await chmod(parent, 0o711)
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await handOver(folder, user)
  return folder
}

/**
 * Removes what an operation leaves. What belongs to another user is removed by that user: root could be led out of the
 * folder by somebody who exchanges a folder for a link meanwhile.
 */
export async function removeFolder(folder: string, user: OperationUser): Promise<void> {
  if (user === null)
    await rm(folder, { recursive: true, force: true }).catch(() => {}) // by the next look
  else await runAs(user, ['rm', '-rf', '--', folder])
  // For a user its own removal failed, as its parent is not that user's.
  if (await isRemoved(folder)) return
  // Scripts may have left folders that even their owner cannot look into.
  await runAs(user, ['chmod', '-R', 'u+rwX', '--', folder])
  await runAs(user, ['rm', '-rf', '--', folder])
  if (!(await isRemoved(folder))) throw new Error(`${folder} could not be removed`)
}

async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

/** Whoever can stop a process of that user must not be able to hold the worker up for ever. */
const longestMs = 600_000

/**
 * How the worker's own programs run as an operation's user. That user may read the environment of all its processes, and
 * what they may become: there is nothing of the worker's in it, and nothing to become.
 */
export function commandAs(
  user: OperationUser,
  [name, ...args]: readonly [string, ...string[]],
): { readonly file: string; readonly args: readonly string[]; readonly options: SpawnOptions } {
  const options = {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    cwd: '/',
    timeout: longestMs,
    killSignal: 'SIGKILL',
  } as const
  if (user === null) return { file: name, args, options }
  const [file, ...rest] = withoutNewPrivileges([name, ...args])
  return { file, args: rest, options: { ...options, uid: user, gid: user } }
}

function runAs(user: OperationUser, command: readonly [string, ...string[]]): Promise<void> {
  return new Promise((resolve, reject) => {
    const { file, args, options } = commandAs(user, command)
    const child = spawn(file, args, { ...options, stdio: 'ignore' })
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
}
