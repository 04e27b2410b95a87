import { Parser, type ReadEntry } from 'tar'
import type { ArchiveEntry, VisitEntry } from './archive-entry.ts'
import { isTarBlock, tarBlockBytes } from './tar-block.ts'
import { UnpackError } from './unpack-error.ts'

/**
 * Visits the entries of an uncompressed tar: ustar, pax and GNU.
 *
 * @throws UnpackError `unknown_format`, `damaged`, and what `visit` rejects with
 */
export async function readTar(source: AsyncIterable<Uint8Array>, visit: VisitEntry): Promise<void> {
  const state: { failure: unknown; sawEnd: boolean; current: ReadEntry | undefined } = {
    failure: undefined,
    sawEnd: false,
    current: undefined,
  }
  let wake = () => {}
  const fail = (error: unknown) => {
    state.failure ??= error
    wake()
  }
  let visits = Promise.resolve()
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      state.current = entry
      // One after the other: the parser offers the next as soon as the content of this one has been read.
      visits = visits
        .then(() => (state.failure === undefined ? visit(archiveEntry(entry)) : undefined))
        .catch(fail)
      void visits.then(() => entry.resume())
    },
  })
  parser.on('error', (error: Error) => {
    // An end mark and nothing before it: a tar without entries, which the parser takes for no tar.
    const isEmpty = state.sawEnd && state.current === undefined
    if (!isEmpty) fail(damaged(error.message, error))
  })
  parser.on('drain', () => wake())
  parser.on('end', () => wake())
  parser.on('eof', () => {
    state.sawEnd = true
  })

  const pause = async (act: () => boolean) => {
    await new Promise<void>((resolve) => {
      wake = resolve
      if (act() || state.failure !== undefined) resolve()
    })
    if (state.failure !== undefined) throw state.failure
  }
  try {
    for await (const chunk of startingWithHeader(source)) {
      // Behind the end mark only padding is left: read, so that its length counts, but not parsed, as the parser's time
      // for it grows with the square of its length.
      if (!state.sawEnd) await pause(() => parser.write(chunk))
    }
    await pause(() => {
      parser.end()
      return false
    })
  } catch (error) {
    state.failure ??= error
    // A visit may still wait for content that will not come.
    state.current?.end()
  }
  await visits
  if (state.failure !== undefined) throw state.failure
  if (!state.sawEnd) throw damaged('it ends before its end mark')
}

const damaged = (why: string, cause?: Error) =>
  new UnpackError('damaged', `the tar archive is damaged or was cut off: ${why}. Pack and upload it again`, {
    cause,
  })

/** The parser would try to decompress what does not begin with a header; formats are chosen before it. */
async function* startingWithHeader(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (start === undefined) {
      yield bytes
      continue
    }
    start = Buffer.concat([start, bytes])
    if (start.length < tarBlockBytes) continue
    if (!isTarBlock(start)) throw noTar()
    yield start
    start = undefined
  }
  if (start !== undefined) throw noTar()
}

const noTar = () =>
  new UnpackError(
    'unknown_format',
    'the archive is a compressed file, but what it holds is no tar. Pack the folder as zip, tar, tar.gz or tar.bz2',
  )

function archiveEntry(entry: ReadEntry): ArchiveEntry {
  return {
    name: entry.path,
    kind: kindOf(entry),
    size: entry.size,
    isExecutable: ((entry.mode ?? 0) & 0o111) !== 0,
    content: () => entry,
  }
}

function kindOf({ type }: ReadEntry): ArchiveEntry['kind'] {
  switch (type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile':
      return 'file'
    case 'Directory':
      return 'directory'
    case 'Link':
    case 'SymbolicLink':
      return 'link'
    default:
      return 'special'
  }
}
