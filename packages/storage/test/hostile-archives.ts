/** Builders of zip and tar archives that, unlike real packers, write whatever a test asks for. */
import { crc32, deflateRawSync } from 'node:zlib'

export type TarEntry = {
  readonly name: string
  readonly content?: string | Uint8Array
  /** Type flag of ustar: 0 file, 1 hard link, 2 symbolic link, 3 device, 5 directory, 6 pipe, x pax header. */
  readonly type?: string
  readonly mode?: number
  readonly linkTo?: string
  /** What the header claims, when it is not the content's length. */
  readonly claimedSize?: number
}

export function tarOf(...entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(tarParts), Buffer.alloc(1024)])
}

/** An entry whose path is given by a pax header, which can hold any character. */
export function paxEntry(path: string, content: string): readonly TarEntry[] {
  const rest = ` path=${path}\n`
  let length = rest.length + 1
  while (`${length}${rest}`.length !== length) length += 1
  return [
    { name: 'PaxHeader', type: 'x', content: `${length}${rest}` },
    { name: 'replaced', content },
  ]
}

function tarParts({
  name,
  content = '',
  type = '0',
  mode = 0o644,
  linkTo = '',
  claimedSize,
}: TarEntry): Buffer[] {
  const body = Buffer.from(content as string)
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  header.write('0000000\0'.repeat(2), 108)
  header.write(`${(claimedSize ?? body.length).toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(linkTo, 157, 100)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
}

export type ZipEntry = {
  readonly name: string | Buffer
  readonly content?: string | Uint8Array
  /** st_mode, for the upper half of the external attributes. */
  readonly mode?: number
  readonly claimedSize?: number
  readonly claimedCrc?: number
  readonly isEncrypted?: boolean
}

export function zipOf(...entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name as string)
    const content = Buffer.from((entry.content ?? '') as string)
    const packed = deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800 | (entry.isEncrypted === true ? 1 : 0), 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(entry.claimedCrc ?? crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(entry.claimedSize ?? content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
    const attributes = Buffer.alloc(14)
    attributes.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 6)
    attributes.writeUInt32LE(offset, 10)
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, attributes, name]))
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, central, end])
}
