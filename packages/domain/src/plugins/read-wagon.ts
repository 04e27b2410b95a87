import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UnpackError, type UnpackLimits, unpackArchive } from '@tutti/storage'
import { checkWheels, invalidPlugin, parseWagonMetadata, type WagonMetadata } from './wagon-metadata.ts'

const metadataFile = 'package.json'
const maxMetadataBytes = 2 ** 20

/**
 * What a wagon says of itself, after all of it has been unpacked once below the folder: one that cannot be would fail on
 * every worker.
 *
 * @throws invalid_plugin_error
 */
export async function readWagon(file: string, folder: string, limits: UnpackLimits): Promise<WagonMetadata> {
  const unpacked = join(folder, randomUUID())
  try {
    const { directory = '' } = await unpackArchive(file, unpacked, { ...limits, topLevel: 'one directory' })
    return await readUnpackedWagon(join(unpacked, directory))
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error
    throw invalidPlugin(`The wagon ${basename(file)} cannot be unpacked: ${error.message}`)
  } finally {
    await rm(unpacked, { recursive: true, force: true })
  }
}

/** The same of the folder that a wagon holds. @throws invalid_plugin_error */
export async function readUnpackedWagon(folder: string): Promise<WagonMetadata> {
  const path = join(folder, metadataFile)
  const size = await fileSize(path)
  if (size === undefined) throw invalidPlugin(`The wagon has no file ${metadataFile} in its folder`)
  if (size > maxMetadataBytes) {
    throw invalidPlugin(
      `${metadataFile} of the wagon has ${size} bytes: no more than ${maxMetadataBytes} are read`,
    )
  }
  const metadata = parseWagonMetadata(await readFile(path, 'utf8'))
  checkWheels(metadata, new Set(await filesIn(join(folder, 'wheels'))))
  return metadata
}

/** Undefined where no file is at the path. */
export async function fileSize(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path)
    return found.isFile() ? found.size : undefined
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Names of the files right in the folder; none where it is not there. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')
