export const tarBlockBytes = 512

/** Field `chksum` of a tar header: octal text, the sum of the header's bytes with this field as spaces. */
const [checksumStart, checksumEnd] = [148, 156]

/** Can a tar begin with `block`? It is a header with a right checksum, or the zeros of a tar without entries. */
export function isTarBlock(block: Uint8Array): boolean {
  if (block.length < tarBlockBytes) return false
  const text = Buffer.from(block.subarray(checksumStart, checksumEnd)).toString('latin1')
  const isHeader = Number.parseInt(text.replace(/^[\0 ]+/, ''), 8) === checksum(block)
  return isHeader || block.subarray(0, tarBlockBytes).every((byte) => byte === 0)
}

function checksum(block: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < tarBlockBytes; at += 1) {
    sum += at >= checksumStart && at < checksumEnd ? 0x20 : (block[at] ?? 0)
  }
  return sum
}
