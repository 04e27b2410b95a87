import { Readable } from 'node:stream'
import { type QueryExecutorProvider, sql } from 'kysely'

export type ArchiveContent = {
  /** Bytes of all chunks together. */
  readonly size: number
  /** Fails when the archive is deleted while it is read. */
  readonly chunks: Readable
}

/**
 * The stored archive, or undefined when there is none. Each chunk is a query of its own: content never
 * changes under its hash, and a slow reader keeps neither a connection nor a transaction.
 */
export async function readArchive(
  db: QueryExecutorProvider,
  sha256: string,
): Promise<ArchiveContent | undefined> {
  const { rows } = await sql<{ size: string | number }>`
    select size from archives where sha256 = ${sha256}`.execute(db)
  const [archive] = rows
  if (archive === undefined) return undefined
  const size = Number(archive.size)
  return { size, chunks: Readable.from(readChunks(db, sha256, size), { objectMode: false }) }
}

async function* readChunks(
  db: QueryExecutorProvider,
  sha256: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let index = 0, read = 0; read < size; index += 1) {
    const { rows } = await sql<{ data: Uint8Array }>`
      select data from archive_chunks where sha256 = ${sha256} and chunk_index = ${index}`.execute(db)
    const [chunk] = rows
    if (chunk === undefined) {
      throw new Error(
        `the archive ${sha256} was deleted while it was read: ${read} of ${size} bytes were delivered. ` +
          'What it belonged to (a blueprint, a plugin, a snapshot) was deleted or replaced',
      )
    }
    read += chunk.data.length
    yield chunk.data
  }
}
