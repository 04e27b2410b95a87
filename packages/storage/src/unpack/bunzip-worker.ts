import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import bunzip from 'seek-bzip'

export type BunzipTask = { readonly source: string; readonly target: string; readonly maxBytes: number }
export type BunzipAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'damaged'; readonly why: string }

const bufferBytes = 64 * 1024

parentPort?.postMessage(run(workerData as BunzipTask))

function run({ source, target, maxBytes }: BunzipTask): BunzipAnswer {
  const [input, output] = [openSync(source, 'r'), openSync(target, 'wx', 0o600)]
  const writer = limitedWriter(output, maxBytes)
  try {
    bunzip.decode(byteReader(input), writer, true)
    writer.flush()
    return { kind: 'done' }
  } catch (error) {
    if (writer.isFull()) return { kind: 'too_large' }
    // The library throws TypeErrors about the data; everything else is the file system's.
    if (!(error instanceof TypeError)) throw error
    return { kind: 'damaged', why: error.message }
  } finally {
    closeSync(input)
    closeSync(output)
  }
}

function byteReader(file: number) {
  const buffer = Buffer.alloc(bufferBytes)
  let [at, end] = [0, 0]
  const atEnd = () => {
    if (at < end) return false
    at = 0
    end = readSync(file, buffer, 0, bufferBytes, null)
    return end === 0
  }
  const readByte = () => {
    // The library takes a missing byte for ones and goes on.
    if (atEnd()) throw new TypeError('it ends too early')
    return buffer[at++] ?? 0
  }
  return {
    eof: atEnd,
    readByte,
    read(into: Uint8Array, offset: number, length: number) {
      for (let index = 0; index < length; index += 1) into[offset + index] = readByte()
      return length
    },
  }
}

function limitedWriter(file: number, maxBytes: number) {
  const buffer = Buffer.alloc(bufferBytes)
  let [at, written] = [0, 0]
  const isFull = () => written + at > maxBytes
  const flush = () => {
    for (let from = 0; from < at; ) from += writeSync(file, buffer, from, at - from)
    written += at
    at = 0
  }
  return {
    isFull,
    flush,
    writeByte(byte: number) {
      buffer[at++] = byte
      if (at < bufferBytes) return
      if (isFull()) throw new RangeError('too large')
      flush()
    },
  }
}
