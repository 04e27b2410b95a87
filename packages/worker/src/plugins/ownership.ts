import { spawn } from 'node:child_process'
import { chmod, chown, lstat } from 'node:fs/promises'
import type { Visibility } from '@tutti/storage'
import { commandAs, type OperationUser } from '../operations/index.ts'

/** Gives a folder with all that is in it to a user of operations, or back to the one of the worker. */
export async function giveTree(folder: string, to: OperationUser): Promise<void> {
  const owner = to ?? process.getuid?.() ?? 0
  const { file, args, options } = commandAs(null, ['chown', '-RhP', `${owner}:${owner}`, '--', folder])
  const child = spawn(file, args, { ...options, stdio: 'ignore' })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0) throw new Error(`${folder} could not be given to ${owner}: chown ended with ${code}`)
}

/**
 * Who may enter an environment: with users of operations everybody for a global plugin, else the tenant's own alone. All
 * that is in it may be read by whoever enters, and is the worker's own.
 */
export async function openTo(folder: string, visibility: Visibility, user: OperationUser): Promise<void> {
  const own = process.getuid?.() ?? 0
  const group = user ?? process.getgid?.() ?? 0
  const mode = user === null ? 0o700 : visibility === 'global' ? 0o755 : 0o750
  const found = await lstat(folder)
  if (user !== null && (found.uid !== own || (visibility !== 'global' && found.gid !== group))) {
    await chown(folder, own, visibility === 'global' ? own : group)
  }
  if ((found.mode & 0o777) !== mode) await chmod(folder, mode)
}
