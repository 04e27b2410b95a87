import { open } from 'node:fs/promises'
import { isTarBlock, tarBlockBytes } from './tar-block.ts'
import { UnpackError } from './unpack-error.ts'

export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz' | 'tar.bz2'

/**
 * What the bytes of `file` are; its name does not matter (docs/reference/blueprints.md, "Upload"). That a gzip or bzip2
 * file holds a tar shows when it is read.
 *
 * @throws UnpackError `empty`, `unknown_format`
 */
export async function archiveFormat(file: string): Promise<ArchiveFormat> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(tarBlockBytes), 0, tarBlockBytes, 0)
    if (bytesRead === 0)
      throw new UnpackError('empty', 'the archive is empty (0 bytes): was the upload cut off?')
    const format = formatOf(buffer.subarray(0, bytesRead))
    if (format !== undefined) return format
  } finally {
    await handle.close()
  }
  throw new UnpackError(
    'unknown_format',
    'the archive is neither a zip nor a tar, tar.gz or tar.bz2 file. Pack the folder in one of these formats',
  )
}

function formatOf(start: Buffer): ArchiveFormat | undefined {
  const magic = start.toString('latin1', 0, 4)
  // A zip begins with its first entry, or with its end when it has none.
  if (magic === 'PK\x03\x04' || magic === 'PK\x05\x06') return 'zip'
  if (magic.startsWith('\x1f\x8b')) return 'tar.gz'
  if (/^BZh[1-9]/.test(magic)) return 'tar.bz2'
  return isTarBlock(start) ? 'tar' : undefined
}
