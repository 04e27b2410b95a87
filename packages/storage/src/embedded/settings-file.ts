import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataFolder } from './data-folder.ts'

const path = ({ data }: DataFolder) => join(data, 'postgresql.conf')

export async function hasSettings(folder: DataFolder, text: string): Promise<boolean> {
  return (await readFile(path(folder), 'utf8').catch(() => undefined)) === text
}

/** Replaces postgresql.conf as a whole; the new file belongs to the server's user. */
export async function writeSettings(folder: DataFolder, text: string): Promise<void> {
  const unfinished = `${path(folder)}.new`
  await rm(unfinished, { force: true })
  // Exclusively: the folder is the server user's, and root must not write through a link of his.
  const file = await open(unfinished, 'wx', 0o600)
  try {
    if (folder.user.switched) await file.chown(folder.user.uid, folder.user.gid)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path(folder))
}
