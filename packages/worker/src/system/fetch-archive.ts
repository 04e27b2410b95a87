import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  archiveFormat,
  FetchRefused,
  type FetchRules,
  guardedFetch,
  hashFile,
  UnpackError,
  writeArchiveFile,
} from '@tutti/storage'
import type { WorkerServices } from '../services.ts'
import { setBlueprintArchive, type Upload } from './queries.ts'
import { UploadFailure } from './upload-failure.ts'

/**
 * Fetches a blueprint's archive into the database; returns its hash. It is on this machine before the transaction
 * begins: a slow sender must not keep a connection to the database busy.
 *
 * @throws UploadFailure
 */
export async function fetchArchive(
  { db, settings }: WorkerServices,
  upload: Upload,
  url: string,
  rules: FetchRules,
): Promise<string> {
  const file = join(settings.workFolder, `fetched-${randomUUID()}`)
  try {
    await pipeline(await guardedFetch(url, rules), createWriteStream(file, { mode: 0o600 }))
    const extension = await archiveFormat(file)
    const hashed = await hashFile(file, settings.maxArchiveBytes)
    return await db.transaction().execute(async (transaction) => {
      const { sha256 } = await writeArchiveFile(transaction, hashed)
      await setBlueprintArchive(transaction, upload, { sha256, extension })
      return sha256
    })
  } catch (error) {
    if (error instanceof FetchRefused || error instanceof UnpackError) {
      throw new UploadFailure('failed_uploading', error.message)
    }
    throw error
  } finally {
    await rm(file, { force: true })
  }
}
