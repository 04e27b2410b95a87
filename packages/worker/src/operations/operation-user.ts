import { spawn } from 'node:child_process'
import { chmod, chown, mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

/** User ids of the operating system that operations run as: one for each tenant, by the tenant's id. */
export type UserIds = { readonly first: number; readonly last: number }

/** Whom an operation runs as; its group has the same number. Null: whoever runs the worker. */
export type OperationUser = number | null

/** @throws Error when there are more tenants than ids */
export function operationUser(ids: UserIds | undefined, tenantId: number): OperationUser {
  if (ids === undefined) return null
  const user = ids.first + tenantId
  if (user <= ids.last) return user
  throw new Error(
    `there is no user id for tenant ${tenantId}: --operation-users ends with ${ids.last}, and ${user} is needed`,
  )
}

/** Gives a file or folder to the operation's user. */
export async function handOver(path: string, user: OperationUser): Promise<void> {
  if (user !== null) await chown(path, user, user)
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
  if (user === null) return rm(folder, { recursive: true, force: true })
  // Its own removal fails, as its parent is not that user's.
  await removeAs(user, folder)
  await rmdir(folder)
}

function removeAs(user: number, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('rm', ['-rf', '--', folder], { uid: user, gid: user, stdio: 'ignore' })
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
}
