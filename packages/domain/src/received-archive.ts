/** An uploaded archive in a temporary file, and the parameters that came with it. Whoever gets it removes it. */
export type ReceivedArchive = {
  /** undefined when the request held no archive. */
  readonly file: string | undefined
  /** undefined for bytes that are no archive. */
  readonly extension: ArchiveExtension | undefined
  /** The multipart field `params`, or a body of JSON alone, else empty: parameters may also be in the query. */
  readonly parameters: Readonly<Record<string, unknown>>
  remove(): Promise<void>
}

export type ArchiveExtension = 'zip' | 'tar.gz' | 'tar.bz2' | 'tar'
