import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A file that was written by code that is not ours; null where there is none that may be read. */
export async function openWritten(file: string): Promise<{ handle: FileHandle; size: number } | null> {
  let handle: FileHandle
  try {
    // Not through a link, which could lead anywhere. Nor is anything waited for: it may be a pipe that nobody writes to.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  const stat = await handle.stat()
  // A second name may be one of a file that its user cannot read.
  if (stat.isFile() && stat.nlink === 1) return { handle, size: stat.size }
  await handle.close()
  return null
}
