import { createHash } from 'node:crypto'

/**
 * The id of the execution that another one starts on a child, at its n-th attempt from 0: always the same, so that
 * whoever takes over finds what was started already. In the form of a UUID of version 4, as all execution ids.
 */
export function attemptId(executionId: string, childId: string, attempt: number): string {
  const hash = createHash('sha256').update(`${executionId}/${attempt}/${childId}`).digest('hex')
  const variant = ((Number.parseInt(hash[16] ?? '0', 16) & 0x3) | 0x8).toString(16)
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `4${hash.slice(13, 16)}`]
  return [...parts, `${variant}${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-')
}
