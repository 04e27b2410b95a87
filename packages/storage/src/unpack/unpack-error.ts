/** What is wrong with an archive. */
export type UnpackErrorCode =
  | 'empty'
  /** Neither zip nor tar, nor a tar compressed with gzip or bzip2. */
  | 'unknown_format'
  /** Cut off, or changed after it was made. */
  | 'damaged'
  /** A zip with encryption, or a compression or kind of entry that is not read here. */
  | 'unsupported'
  | 'not_one_directory'
  /** A path that leads out of the archive or cannot be a path. */
  | 'unsafe_path'
  /** A link, device, pipe or socket. */
  | 'unsafe_entry'
  /** The same path as a file and as a directory. */
  | 'conflicting_entries'
  | 'too_many_entries'
  | 'too_large'
  | 'too_slow'

/** Thrown by `unpackArchive` when the archive is at fault; the message is for whoever sent it. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError'
  readonly code: UnpackErrorCode

  constructor(code: UnpackErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
