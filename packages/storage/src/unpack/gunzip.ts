import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { UnpackError } from './unpack-error.ts'

/** The decompressed bytes of a gzip file. @throws UnpackError `damaged` */
export async function* gunzip(file: string): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file)
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array
  } catch (error) {
    const isOfZlib = (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true
    if (!isOfZlib) throw error
    throw new UnpackError(
      'damaged',
      `the gzip file is damaged or was cut off: ${(error as Error).message}. Pack and upload it again`,
      { cause: error },
    )
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}
