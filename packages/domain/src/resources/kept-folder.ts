import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Database, readArchive } from '@tutti/storage'
import { extract } from 'tar'

export type KeptFolder = { readonly db: Database; readonly cacheFolder: string; readonly maxBytes: number }

/** How many are kept unpacked. */
const most = 20
const unpacked = new Map<string, readonly string[]>()

/**
 * The stored folder of a deployment, unpacked: its files and folders only, as a link would lead the manager to files of its
 * own. Undefined when it has been replaced just now.
 */
export async function keptFolder(
  { db, cacheFolder, maxBytes }: KeptFolder,
  owner: string,
  sha256: string,
): Promise<string | undefined> {
  const parent = join(cacheFolder, 'kept')
  const folder = join(parent, `${createHash('sha256').update(owner).digest('hex')}-${sha256}`)
  if (!(await isThere(folder))) {
    const archive = await readArchive(db, sha256)
    if (archive === undefined) return undefined
    const staged = join(parent, randomUUID())
    await mkdir(staged, { recursive: true, mode: 0o700 })
    try {
      await pipeline(
        Readable.from(archive.chunks),
        createGunzip(),
        limited(maxBytes),
        extract({
          cwd: staged,
          filter: (_path, entry) => 'type' in entry && (entry.type === 'File' || entry.type === 'Directory'),
          // What nobody may read is read here all the same: whoever asks has been looked at.
          dmode: 0o700,
          fmode: 0o600,
          noChmod: true,
        }),
      )
      await rename(staged, folder).catch((error: NodeJS.ErrnoException) => {
        // Another request was first.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      })
    } finally {
      await rm(staged, { recursive: true, force: true })
    }
  }
  await forgetOldest(parent, folder)
  return folder
}

async function forgetOldest(parent: string, latest: string): Promise<void> {
  const folders = [...(unpacked.get(parent) ?? []).filter((one) => one !== latest), latest]
  const old = folders.splice(0, Math.max(0, folders.length - most))
  unpacked.set(parent, folders)
  for (const folder of old) await rm(folder, { recursive: true, force: true })
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

function limited(maxBytes: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let seen = 0
    for await (const chunk of source) {
      seen += chunk.length
      if (seen > maxBytes) throw new Error(`a stored folder unpacks to more than ${maxBytes} bytes`)
      yield chunk
    }
  }
}
