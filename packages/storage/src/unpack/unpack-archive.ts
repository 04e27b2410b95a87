import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import type { VisitEntry } from './archive-entry.ts'
import { type ArchiveFormat, archiveFormat } from './archive-format.ts'
import { bunzip } from './bunzip.ts'
import { gunzip } from './gunzip.ts'
import { limited, limitsFor, maxMs, maxTarBytes, tooSlow, type UnpackLimits } from './limits.ts'
import { newPlacement, place, theOneDirectory } from './placement.ts'
import { readTar } from './read-tar.ts'
import { readZip } from './read-zip.ts'

export type UnpackOptions = UnpackLimits & {
  /** `one directory`: the archive's top level must be exactly one directory, as a blueprint's is. */
  readonly topLevel: 'one directory' | 'anything'
}

export type UnpackedArchive = {
  readonly format: ArchiveFormat
  /** Name of the only directory at the top level; undefined when `topLevel` is `anything`. */
  readonly directory: string | undefined
}

/**
 * Unpacks the archive `file` into the new folder `folder`: a zip, tar, tar.gz or tar.bz2 by its content
 * (docs/reference/blueprints.md, "Upload"). Only plain files and directories come out, nothing outside `folder`, and
 * executable files stay executable. When it fails, `folder` is not there.
 *
 * Who may enter `folder` is the caller's umask; nothing else may write into it meanwhile.
 *
 * @throws UnpackError when the archive is at fault; errors of the file system as they are
 */
export async function unpackArchive(
  file: string,
  folder: string,
  options: UnpackOptions,
): Promise<UnpackedArchive> {
  const format = await archiveFormat(file)
  const limits = limitsFor(options, (await stat(file)).size)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooSlow(maxMs(limits))), maxMs(limits))
  const unfinished = `${folder}.${randomUUID()}.new`
  await mkdir(unfinished, { recursive: true })
  try {
    const placement = newPlacement(unfinished, limits)
    await readers[format]({ file, unfinished, limits, signal: late.signal }, (entry) => {
      late.signal.throwIfAborted()
      return place(placement, entry)
    })
    const directory = options.topLevel === 'one directory' ? theOneDirectory(placement) : undefined
    await rename(unfinished, folder)
    return { format, directory }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  } finally {
    clearTimeout(timer)
  }
}

type Task = {
  readonly file: string
  readonly unfinished: string
  readonly limits: UnpackLimits
  /** Aborted with the error to throw when it takes too long. */
  readonly signal: AbortSignal
}

type Reader = (task: Task, visit: VisitEntry) => Promise<void>

const readers: Readonly<Record<ArchiveFormat, Reader>> = {
  zip: ({ file, limits, signal }, visit) => readZip(file, limits, signal, visit),
  tar: ({ file, limits, signal }, visit) =>
    readTar(limited(createReadStream(file), maxTarBytes(limits), signal), visit),
  'tar.gz': ({ file, limits, signal }, visit) =>
    readTar(limited(gunzip(file, signal), maxTarBytes(limits), signal), visit),
  'tar.bz2': async ({ file, unfinished, limits, signal }, visit) => {
    const tar = `${unfinished}.tar`
    try {
      await bunzip({ source: file, target: tar, maxBytes: maxTarBytes(limits) }, signal)
      await readTar(limited(createReadStream(tar), maxTarBytes(limits), signal), visit)
    } finally {
      await rm(tar, { force: true })
    }
  },
}
