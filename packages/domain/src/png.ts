import { crc32 } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Bytes of an icon. */
export const maxIconBytes = 2 ** 20

/** What browsers can be asked to draw as a small picture. */
const maxPixels = 4096

/**
 * Why the bytes are no PNG image, else undefined: the whole file is chunks, each with its checksum, from the header with
 * the size to the end mark and nothing behind it. What hides another file in a picture, or claims a size that nobody
 * could draw, is none.
 */
export function pngProblem(bytes: Buffer): string | undefined {
  if (!bytes.subarray(0, signature.length).equals(signature)) return 'it does not begin as one'
  let hasData = false
  for (let at = signature.length; ; ) {
    if (at + 12 > bytes.length) return 'it is cut off'
    const length = bytes.readUInt32BE(at)
    const end = at + 12 + length
    if (end > bytes.length) return 'it is cut off'
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return 'it is damaged'
    if (at === signature.length) {
      if (type !== 'IHDR' || length !== 13) return 'it has no header'
      const sides = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)]
      if (sides.some((side) => side === 0 || side > maxPixels)) {
        return `it is ${sides.join(' by ')} pixels: allowed are 1 to ${maxPixels}`
      }
    }
    if (type === 'IDAT') hasData = true
    if (type === 'IEND') {
      if (end !== bytes.length) return 'something follows its end'
      return hasData ? undefined : 'it has no content'
    }
    at = end
  }
}
