import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { create } from 'tar'
import type { Bytes } from './call.ts'

/** What to upload: an archive as it is, or a folder that is packed while it is sent. */
export type ArchiveSource = {
  readonly kind: 'archive' | 'folder'
  readonly path: string
  /** Main blueprint file within the folder, when the path named one. */
  readonly mainFile: string | undefined
}

/**
 * What a path given by a person means: an archive file, a folder, or the blueprint file in its folder.
 *
 * @throws Error when nothing is there
 */
export async function findArchiveSource(path: string): Promise<ArchiveSource> {
  const full = resolve(path)
  const found = await stat(full).catch((error: unknown) => {
    throw new Error(`There is no file or folder ${full}`, { cause: error })
  })
  if (found.isDirectory()) return { kind: 'folder', path: full, mainFile: undefined }
  if (await isArchive(full)) return { kind: 'archive', path: full, mainFile: undefined }
  return { kind: 'folder', path: dirname(full), mainFile: basename(full) }
}

/** The bytes of the source; a folder becomes a tar.gz that holds exactly this one folder. */
export function openArchive({ kind, path }: ArchiveSource): Bytes {
  if (kind === 'archive') return bytesOf(createReadStream(path))
  const pack = create({ gzip: true, portable: true, cwd: dirname(path), filter: isContent }, [
    `./${basename(path)}`,
  ])
  return bytesOf(Readable.from(pack))
}

const bytesOf = (stream: Readable): Bytes => Readable.toWeb(stream) as Bytes

/** Version control is no part of a blueprint. */
const isContent = (path: string): boolean => !/(^|\/)\.(git|hg|svn)(\/|$)/.test(path)

/** First bytes of zip, gzip, bzip2, and the mark within a plain tar. */
async function isArchive(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    const head = buffer.subarray(0, bytesRead)
    const isPacked = ['504b0304', '504b0506', '1f8b', '425a68'].some((magic) =>
      head.toString('hex').startsWith(magic),
    )
    return isPacked || head.toString('latin1', 257, 262) === 'ustar'
  } finally {
    await file.close()
  }
}
