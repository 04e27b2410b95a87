declare module 'seek-bzip' {
  type Input = {
    readonly eof: () => boolean
    readonly readByte: () => number
    readonly read: (into: Uint8Array, offset: number, length: number) => number
  }
  type Output = { readonly writeByte: (byte: number) => void; readonly flush: () => void }

  const bunzip: {
    /** Reads all streams of the input when `multistream`. Throws TypeErrors about the data. */
    decode(input: Input, output: Output, multistream: boolean): unknown
  }
  export = bunzip
}
