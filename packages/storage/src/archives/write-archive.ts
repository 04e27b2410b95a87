import { open } from 'node:fs/promises'
import { type QueryExecutorProvider, sql } from 'kysely'
import { type Spooled, withSpooled } from './spool.ts'

export type StoredArchive = { readonly sha256: string; readonly size: number }

/**
 * Bytes in one row of archive_chunks. From 256 KiB to 1 MiB it made no difference beyond noise (64 MiB archives
 * on 2 busy cores: 110 to 150 MiB/s written, 50 to 130 read), so the one that holds least memory.
 */
const chunkBytes = 256 * 1024

/**
 * Stores the bytes of `stream` under their SHA-256 (architecture 4), as part of the transaction `db`: other
 * transactions see them together with the row that refers to them, or not at all. Bytes that are stored
 * already are not stored again.
 *
 * They go through a temporary file, because the name of an archive is known only after its last byte and
 * chunks refer to it by foreign key; and so that neither connection nor transaction waits for the sender.
 *
 * @throws ArchiveTooLarge
 */
export async function writeArchive(
  db: QueryExecutorProvider,
  stream: AsyncIterable<Uint8Array>,
  { maxBytes }: { readonly maxBytes: number },
): Promise<StoredArchive> {
  return await withSpooled(stream, maxBytes, (spooled) => writeArchiveFile(db, spooled))
}

/** The same for a file whose hash is known: a transaction then does nothing that takes long but to write. */
export async function writeArchiveFile(db: QueryExecutorProvider, file: Spooled): Promise<StoredArchive> {
  const { sha256, size, path } = file
  if (!(await claimArchive(db, file))) await insertChunks(db, sha256, path)
  return { sha256, size }
}

/**
 * Makes or finds the archive's row, and holds it until the transaction ends: a concurrent writer of the same
 * content waits here and then finds its chunks, and the clean-up leaves it alone until it is referred to.
 * True when its chunks are stored.
 */
async function claimArchive(db: QueryExecutorProvider, { sha256, size }: Spooled): Promise<boolean> {
  await sql`
    insert into archives (sha256, size) values (${sha256}, ${size})
    on conflict (sha256) do update set size = excluded.size, created_at = clock_timestamp()`.execute(db)
  const { rows } = await sql`select from archive_chunks where sha256 = ${sha256} limit 1`.execute(db)
  return rows.length > 0
}

async function insertChunks(db: QueryExecutorProvider, sha256: string, path: string): Promise<void> {
  const file = await open(path)
  try {
    for (let index = 0; ; index += 1) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes)
      if (bytesRead === 0) return
      const data = buffer.subarray(0, bytesRead)
      await sql`
        insert into archive_chunks (sha256, chunk_index, data) values (${sha256}, ${index}, ${data})`.execute(
        db,
      )
    }
  } finally {
    await file.close()
  }
}
