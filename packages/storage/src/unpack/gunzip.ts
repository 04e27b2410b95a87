import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { UnpackError } from './unpack-error.ts'

/** The decompressed bytes of a gzip file, until the signal. @throws UnpackError `damaged` */
export async function* gunzip(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file)
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  // Also when no byte comes out: of many members that hold nothing.
  const stop = () => gunzip.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const isOfZlib = (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true
    if (!isOfZlib) throw error
    throw new UnpackError(
      'damaged',
      `the gzip file is damaged or was cut off: ${(error as Error).message}. Pack and upload it again`,
      { cause: error },
    )
  } finally {
    signal.removeEventListener('abort', stop)
    source.destroy()
    gunzip.destroy()
  }
}
