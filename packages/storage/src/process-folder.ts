import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A folder below `parent` for what this process alone works on; and the end of those that killed processes left, which
 * may hold tokens or half an upload. It is closed to other users, or with 0711 open for passing to who knows the way.
 */
export async function openProcessFolder(parent: string, mode: 0o700 | 0o711 = 0o700): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o711 })
  // A strict umask takes from the modes above.
  await chmod(parent, 0o711)
  for (const name of await readdir(parent)) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(join(parent, name), { recursive: true, force: true })
  }
  const own = join(parent, `${process.pid}-${randomUUID()}`)
  await mkdir(own, { mode: 0o700 })
  await chmod(own, mode)
  return own
}

/** A folder of this pid from before this start is left over too: another process had the number then. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
