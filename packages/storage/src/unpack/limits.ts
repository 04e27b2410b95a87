import { UnpackError } from './unpack-error.ts'

export type UnpackLimits = {
  /** Files and directories, those that are only named in a path included. */
  readonly maxEntries: number
  /** Content of all files together, unpacked. */
  readonly maxBytes: number
}

/**
 * So many times its packed size an archive may have, and so much whatever its packed size. What people pack becomes three
 * to thirty times smaller; what becomes a thousand times smaller is made to fill a disk.
 */
const maxRatio = 100
const freeBytes = 16 * 2 ** 20

/** The limits for an archive of so many bytes. */
export const limitsFor = (limits: UnpackLimits, packedBytes: number): UnpackLimits => ({
  ...limits,
  maxBytes: Math.min(limits.maxBytes, Math.max(freeBytes, packedBytes * maxRatio)),
})

/** Much longer than an honest archive takes: a slow machine packs out some megabytes a second. */
export const maxMs = ({ maxBytes }: UnpackLimits): number => 30_000 + maxBytes / 2_000

export const tooSlow = (ms: number): UnpackError =>
  new UnpackError(
    'too_slow',
    `the archive was not unpacked within ${Math.ceil(ms / 1_000)} seconds: it was given up. Pack the folder again, without ` +
      'what is not needed',
  )

/**
 * How long a tar within the limits can get: content, and for each entry header, padding and an extended name
 * of a few kilobytes. What is longer is stopped, whatever it holds.
 */
export const maxTarBytes = ({ maxEntries, maxBytes }: UnpackLimits): number =>
  maxBytes + maxEntries * 8192 + 10_240

export const tooLarge = (maxBytes: number): UnpackError =>
  new UnpackError(
    'too_large',
    `the archive unpacks to more than ${maxBytes} bytes, the limit for one of its size. Leave out what is not needed, or ` +
      'raise the limit',
  )

export const tooManyEntries = (maxEntries: number): UnpackError =>
  new UnpackError(
    'too_many_entries',
    `the archive holds more than ${maxEntries} files and directories, the limit. Leave out what is not needed, or raise ` +
      'the limit',
  )

/** Passes `source` through and stops it after `maxBytes`, or by the signal. */
export async function* limited(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of source) {
    signal.throwIfAborted()
    seen += chunk.length
    if (seen > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}
