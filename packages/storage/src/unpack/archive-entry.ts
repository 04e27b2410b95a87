/** One entry as a zip or tar reader found it. Nothing in it has been checked. */
export type ArchiveEntry = {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'special'
  /** Bytes of content, as the archive claims. */
  readonly size: number
  readonly isExecutable: boolean
  readonly content: () => AsyncIterable<Uint8Array>
}

/** Called for one entry after the other; rejects to stop reading. */
export type VisitEntry = (entry: ArchiveEntry) => Promise<void>
