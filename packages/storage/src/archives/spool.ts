import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes in a temporary file, and what is known of them after they have all gone by. */
export type Spooled = { readonly path: string; readonly sha256: string; readonly size: number }

/** Thrown before more than `maxBytes` are kept. */
export class ArchiveTooLarge extends Error {
  override readonly name = 'ArchiveTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(
      `the archive is larger than the allowed ${maxBytes} bytes: leave out what is not needed, or raise the limit`,
    )
    this.maxBytes = maxBytes
  }
}

/** A file that is there already. @throws ArchiveTooLarge */
export async function hashFile(path: string, maxBytes: number): Promise<Spooled> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw new ArchiveTooLarge(maxBytes)
    hash.update(chunk)
  }
  return { path, sha256: hash.digest('hex'), size }
}

/** Calls `use` with the stream's bytes in a file that only this user can read, and removes it afterwards. */
export async function withSpooled<T>(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  use: (spooled: Spooled) => Promise<T>,
): Promise<T> {
  const path = join(tmpdir(), `tutti-archive-${randomUUID()}`)
  const file = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let size = 0
    try {
      for await (const chunk of stream) {
        size += chunk.length
        if (size > maxBytes) throw new ArchiveTooLarge(maxBytes)
        hash.update(chunk)
        await file.writeFile(chunk)
      }
    } finally {
      await file.close()
    }
    return await use({ path, sha256: hash.digest('hex'), size })
  } finally {
    await rm(path, { force: true })
  }
}
