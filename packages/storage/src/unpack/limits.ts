import { UnpackError } from './unpack-error.ts'

export type UnpackLimits = {
  /** Files and directories, those that are only named in a path included. */
  readonly maxEntries: number
  /** Content of all files together, unpacked. */
  readonly maxBytes: number
}

/**
 * How long a tar within the limits can get: content, and for each entry header, padding and an extended name
 * of a few kilobytes. What is longer is stopped, whatever it holds.
 */
export const maxTarBytes = ({ maxEntries, maxBytes }: UnpackLimits): number =>
  maxBytes + maxEntries * 8192 + 10_240

export const tooLarge = (maxBytes: number): UnpackError =>
  new UnpackError(
    'too_large',
    `the archive unpacks to more than ${maxBytes} bytes, the limit. Leave out what is not needed, or raise the limit`,
  )

export const tooManyEntries = (maxEntries: number): UnpackError =>
  new UnpackError(
    'too_many_entries',
    `the archive holds more than ${maxEntries} files and directories, the limit. Leave out what is not needed, or raise ` +
      'the limit',
  )

/** Passes `source` through and stops it after `maxBytes`. */
export async function* limited(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of source) {
    seen += chunk.length
    if (seen > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}
