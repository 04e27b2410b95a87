import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataFolder } from './data-folder.ts'

/** Name in the data directory → text. */
export type SettingsFiles = Readonly<Record<string, string>>

export async function hasSettings({ data }: DataFolder, files: SettingsFiles): Promise<boolean> {
  for (const [name, text] of Object.entries(files)) {
    const found = await readFile(join(data, name), 'utf8').catch(() => undefined)
    if (found !== text) return false
  }
  return true
}

/** Replaces the files as a whole; the new ones belong to the server's user. */
export async function writeSettings(folder: DataFolder, files: SettingsFiles): Promise<void> {
  for (const [name, text] of Object.entries(files)) await replace(folder, join(folder.data, name), text)
}

async function replace({ user }: DataFolder, path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`
  await rm(unfinished, { force: true })
  // Exclusively: the folder is the server user's, and root must not write through a link of his.
  const file = await open(unfinished, 'wx', 0o600)
  try {
    if (user.switched) await file.chown(user.uid, user.gid)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}
