import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * The data folder of the demo: the same at each run of one user, so that a second run starts in a second.
 *
 * In the system's temporary folder, because it is the one place that every user may write to and, when root runs the
 * demo, that PostgreSQL's own unprivileged user can reach too: neither holds for a repository or a home directory.
 * Anybody can make folders there, so one that is there already is used only if it is really this user's.
 */
export async function openDemoFolder(): Promise<string> {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `tutti-demo-${uid}`)
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(folder)
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0) return folder
  throw new Error(
    `${folder} is in the way: it is not a folder that only this user can write to. ` +
      'Remove it, or choose another temporary folder: TMPDIR=/some/folder npm run demo',
  )
}
