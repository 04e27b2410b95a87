import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A folder of this process's own for what its operations exchange with it, and the end of those that killed
 * processes left: they hold tokens.
 */
export async function openWorkFolder(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, 'work')
  await mkdir(folder, { recursive: true, mode: 0o711 })
  for (const name of await readdir(folder)) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(join(folder, name), { recursive: true, force: true })
  }
  const own = join(folder, `${process.pid}-${randomUUID()}`)
  await mkdir(own, { mode: 0o700 })
  return own
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid)) return false
  try {
    process.kill(pid, 0)
    return pid !== process.pid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
