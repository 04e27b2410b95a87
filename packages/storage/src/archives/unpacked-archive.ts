import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Database } from '../database.ts'
import { type UnpackLimits, unpackArchive } from '../unpack/index.ts'
import { readArchive } from './read-archive.ts'

/**
 * The single top folder of an archive, unpacked below `cacheFolder` under the archive's hash; unpacked at first use,
 * kept afterwards. Several processes may ask at once: a folder appears when it is complete, and the first one stays.
 *
 * @throws UnpackError when the archive is at fault
 */
export async function unpackedArchive(
  db: Database,
  sha256: string,
  cacheFolder: string,
  limits: UnpackLimits,
): Promise<string> {
  const target = join(cacheFolder, sha256)
  return (await topFolder(target)) ?? (await unpack(db, sha256, target, limits))
}

async function topFolder(target: string): Promise<string | undefined> {
  try {
    const [name] = await readdir(target)
    return name === undefined ? undefined : join(target, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function unpack(db: Database, sha256: string, target: string, limits: UnpackLimits): Promise<string> {
  const archive = await readArchive(db, sha256)
  if (archive === undefined) throw new Error(`archive ${sha256} is not in the database`)
  // Archives are those of all tenants. The folder may be there from a time when it was open.
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await chmod(dirname(target), 0o700)
  const file = `${target}.${randomUUID()}.archive`
  try {
    await pipeline(Readable.from(archive.chunks), createWriteStream(file, { mode: 0o600 }))
    const { directory } = await unpackArchive(file, target, { ...limits, topLevel: 'one directory' })
    return join(target, directory ?? '')
  } catch (error) {
    // Another process was first: its folder is complete and has the same content.
    const { code } = error as NodeJS.ErrnoException
    const there = code === 'ENOTEMPTY' || code === 'EEXIST' ? await topFolder(target) : undefined
    if (there === undefined) throw error
    return there
  } finally {
    await rm(file, { force: true })
  }
}
