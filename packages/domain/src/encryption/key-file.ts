import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { formatKey, parseKey } from './key-ring.ts'

/** Name of the file below the data folder that holds the keys, one a line, the sealing one first; its owner's only. */
export const keyFileName = 'encryption-key'

/** No file: no keys. @throws Error when the file is damaged, or others may read it */
export async function readKeyFile(dataFolder: string): Promise<readonly Buffer[]> {
  const file = join(dataFolder, keyFileName)
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return []
  try {
    const { mode } = await handle.stat()
    if ((mode & 0o077) !== 0) {
      throw new Error(
        `${file} holds the key of all secrets, but others may read it. Close it: chmod 600 ${file}`,
      )
    }
    const lines = (await readFile(handle, 'utf8')).split('\n').filter((line) => line.trim() !== '')
    if (lines.length === 0) throw new Error(`${file} is empty. Restore it from a backup`)
    return lines.map((line) => parseKey(line.trim(), file))
  } finally {
    await handle.close()
  }
}

/** Replaces the file as a whole and durably: what was read from it before is in it, or the new keys are. */
export async function writeKeyFile(dataFolder: string, keys: readonly Buffer[]): Promise<void> {
  const file = join(dataFolder, keyFileName)
  // On a database of somebody else's making there may be no data folder yet.
  await mkdir(dataFolder, { recursive: true })
  const handle = await open(`${file}.new`, 'w', 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(`${keys.map(formatKey).join('\n')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
