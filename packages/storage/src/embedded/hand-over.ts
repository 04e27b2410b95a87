import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedPostgresError } from './error.ts'
import type { ServerUser } from './server-user.ts'

/**
 * Makes `folder` and all in it the server user's, where it is somebody else's: of the user who made the data directory, or
 * of the one that an older Tutti ran PostgreSQL as. Nothing may run in it. Repeated after a crash it goes on.
 *
 * @throws EmbeddedPostgresError `start_failed` for a file that is also elsewhere
 */
export async function handOver(folder: string, { uid, gid, switched }: ServerUser): Promise<void> {
  if (!switched) return
  const { uid: owner } = await lstat(folder)
  if (owner === uid) return
  // First nobody else gets in, so that no name is exchanged for another while it is looked at; the folder itself comes
  // last, which says that all is done.
  await lchown(folder, 0, 0)
  await chmod(folder, 0o700)
  await giveAway(folder, uid, gid)
  await lchown(folder, uid, gid)
}

async function giveAway(folder: string, uid: number, gid: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await giveAway(path, uid, gid)
    else if (entry.isFile() && (await lstat(path)).nlink > 1) throw linked(path)
    await lchown(path, uid, gid)
  }
}

const linked = (path: string) =>
  new EmbeddedPostgresError(
    'start_failed',
    `the file ${path} is linked from elsewhere too, so it is not given to the user that PostgreSQL runs as. Nothing of ` +
      'PostgreSQL is made so: look where it comes from, and remove it',
  )
