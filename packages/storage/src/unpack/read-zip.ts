import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import type { ArchiveEntry, VisitEntry } from './archive-entry.ts'
import { printName } from './entry-path.ts'
import { tooLarge, tooManyEntries, type UnpackLimits } from './limits.ts'
import { UnpackError } from './unpack-error.ts'

/**
 * Visits the entries of a zip, after the table of all of them has been looked at: what it says of itself is checked before
 * anything is unpacked, and what comes out of each entry is held against it.
 *
 * @throws UnpackError `damaged`, `unsupported`, `too_large`, `too_many_entries`, and what `visit` rejects with
 */
export async function readZip(
  file: string,
  limits: UnpackLimits,
  signal: AbortSignal,
  visit: VisitEntry,
): Promise<void> {
  // Names are decoded and checked here, as those of a tar are.
  const zip = await orDamaged(
    openPromise(file, { lazyEntries: true, autoClose: false, decodeStrings: false }),
  )
  try {
    for (const entry of await readTable(zip, limits, signal)) await visit(archiveEntry(zip, entry, signal))
  } finally {
    zip.close()
  }
}

async function readTable(zip: ZipFile, limits: UnpackLimits, signal: AbortSignal): Promise<readonly Entry[]> {
  const { maxEntries, maxBytes } = limits
  if (zip.entryCount > maxEntries) throw tooManyEntries(maxEntries)
  const table: Entry[] = []
  let bytes = 0
  const entries = zip.eachEntry()
  for (;;) {
    signal.throwIfAborted()
    const next = await orDamaged(entries.next())
    if (next.done === true) break
    table.push(next.value)
    bytes += next.value.uncompressedSize
    if (bytes > maxBytes) throw tooLarge(maxBytes)
  }
  checkApart(table)
  return table
}

/** Length of a local header without name and extra fields. */
const headerBytes = 30

/** Entries that share their bytes unpack the same ones again and again: no program packs so. */
function checkApart(table: readonly Entry[]): void {
  let endedAt = 0
  for (const entry of table.toSorted(
    (one, other) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader,
  )) {
    const { relativeOffsetOfLocalHeader: startsAt, compressedSize } = entry
    if (startsAt < endedAt) throw damaged('entries of it share the same bytes')
    endedAt = startsAt + headerBytes + compressedSize
  }
}

async function orDamaged<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw damaged((error as Error).message, error)
  }
}

const damaged = (why: string, cause?: unknown) =>
  new UnpackError('damaged', `the zip archive is damaged or was cut off: ${why}. Pack and upload it again`, {
    cause,
  })

function archiveEntry(zip: ZipFile, entry: Entry, signal: AbortSignal): ArchiveEntry {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry
  // Not strict: backslashes of archives from Windows become slashes.
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
  // The upper half holds st_mode where the archive was made on a system that has one, else zeros.
  const mode = entry.externalFileAttributes >>> 16
  return {
    name,
    kind: kindOf(name, mode),
    size: entry.uncompressedSize,
    isExecutable: (mode & 0o111) !== 0,
    content: () => readContent(zip, entry, name, signal),
  }
}

/** `mode` is an st_mode of inode(7): S_IFMT masks the type. */
function kindOf(name: string, mode: number): ArchiveEntry['kind'] {
  switch (mode & 0o170000) {
    case 0:
      return name.endsWith('/') ? 'directory' : 'file'
    case 0o100000:
      return 'file'
    case 0o040000:
      return 'directory'
    case 0o120000:
      return 'link'
    default:
      return 'special'
  }
}

/** @throws UnpackError when the bytes are not those that were packed, which yauzl itself does not check */
async function* readContent(
  zip: ZipFile,
  entry: Entry,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted() || !entry.canDecodeFileData()) {
    const why = entry.isEncrypted() ? 'is encrypted' : `is compressed by method ${entry.compressionMethod}`
    throw new UnpackError(
      'unsupported',
      `the archive's entry ${printName(name)} ${why}, which is not read here. Pack it without encryption, as zip with ` +
        'deflate or as tar.gz',
    )
  }
  const stream = await orDamaged(zip.openReadStreamPromise(entry))
  let checksum = 0
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      if (signal.aborted) break
      checksum = crc32(chunk, checksum)
      yield chunk
    }
  } catch (error) {
    throw damaged((error as Error).message, error)
  }
  signal.throwIfAborted()
  if (checksum !== entry.crc32) throw damaged(`the checksum of ${printName(name)} is wrong`)
}
