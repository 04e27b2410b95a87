import { crc32 } from 'node:zlib'

export type ZipEntry = {
  /** ASCII, without folders. */
  readonly name: string
  /** Exactly as many bytes as come. */
  readonly size: number
  content(): AsyncIterable<Uint8Array>
}

/** Beyond these sizes a zip has another form, which is not written here: uploads are smaller. */
const mostBytes = 0xffff_ffff

const localHeaderBytes = 30
const descriptorBytes = 16
const tableEntryBytes = 46
const endBytes = 22

/** How many bytes `zipped` makes of the entries: known before any of them is read. */
export const zippedSize = (entries: readonly ZipEntry[]): number =>
  entries.reduce(
    (sum, { name, size }) =>
      sum + localHeaderBytes + descriptorBytes + tableEntryBytes + 2 * name.length + size,
    endBytes,
  )

/**
 * A zip of the entries as they are, without compression: what goes in here is compressed already. The checksum of an entry
 * follows it, as it is known only then.
 */
export async function* zipped(entries: readonly ZipEntry[]): AsyncGenerator<Uint8Array> {
  if (zippedSize(entries) > mostBytes) throw new Error('the archive is too large for a zip')
  const table: Buffer[] = []
  let offset = 0
  for (const { name, size, content } of entries) {
    yield localHeader(name)
    let checksum = 0
    let bytes = 0
    for await (const chunk of content()) {
      checksum = crc32(chunk, checksum)
      bytes += chunk.length
      yield chunk
    }
    if (bytes !== size) throw new Error(`${name} has ${bytes} bytes and not ${size}`)
    yield descriptor(checksum, size)
    table.push(tableEntry(name, { checksum, size, offset }))
    offset += localHeaderBytes + name.length + size + descriptorBytes
  }
  const written = Buffer.concat(table)
  yield written
  yield end(table.length, written.length, offset)
}

/** Version 2.0, a descriptor behind the content, stored, 1980-01-01. */
const common = [20, 0x08, 0, 0, 0x21] as const

function localHeader(name: string): Buffer {
  const header = Buffer.alloc(localHeaderBytes)
  header.writeUInt32LE(0x04034b50, 0)
  for (const [index, value] of common.entries()) header.writeUInt16LE(value, 4 + 2 * index)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, Buffer.from(name, 'latin1')])
}

function descriptor(checksum: number, size: number): Buffer {
  const bytes = Buffer.alloc(descriptorBytes)
  bytes.writeUInt32LE(0x08074b50, 0)
  bytes.writeUInt32LE(checksum, 4)
  bytes.writeUInt32LE(size, 8)
  bytes.writeUInt32LE(size, 12)
  return bytes
}

type Placed = { readonly checksum: number; readonly size: number; readonly offset: number }

function tableEntry(name: string, { checksum, size, offset }: Placed): Buffer {
  const entry = Buffer.alloc(tableEntryBytes)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(20, 4)
  for (const [index, value] of common.entries()) entry.writeUInt16LE(value, 6 + 2 * index)
  entry.writeUInt32LE(checksum, 16)
  entry.writeUInt32LE(size, 20)
  entry.writeUInt32LE(size, 24)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt32LE(offset, 42)
  return Buffer.concat([entry, Buffer.from(name, 'latin1')])
}

function end(count: number, tableSize: number, offset: number): Buffer {
  const bytes = Buffer.alloc(endBytes)
  bytes.writeUInt32LE(0x06054b50, 0)
  bytes.writeUInt16LE(count, 8)
  bytes.writeUInt16LE(count, 10)
  bytes.writeUInt32LE(tableSize, 12)
  bytes.writeUInt32LE(offset, 16)
  return bytes
}
