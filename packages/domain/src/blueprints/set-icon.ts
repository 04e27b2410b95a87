import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, normalize, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ApiError, badParameter } from '@tutti/api'
import { ArchiveTooLarge, UnpackError, unpackArchive, unpackedArchive, writeArchive } from '@tutti/storage'
import { create, replace } from 'tar'
import type { Actor } from '../actor.ts'
import { checkOwnTenant } from '../owned.ts'
import { pngProblem } from '../png.ts'
import { updateBlueprint } from './queries.ts'
import { lockBlueprint, requireBlueprint } from './service.ts'

/** The name in the archive, where the file server finds it and consoles look for it. */
const iconName = 'icon.png'
const maxAttempts = 3

/**
 * Makes an image the file `icon.png` of the blueprint, or takes that file away when there is none. The icon is part of
 * the archive: downloads, workers and the file server have it without knowing of icons.
 *
 * @throws bad_parameters_error, conflict_error, illegal_action_error, not_found_error
 */
export async function setBlueprintIcon(actor: Actor, id: string, icon: Buffer | undefined): Promise<void> {
  await requireUploaded(actor, id)
  if (icon !== undefined) checkIcon(icon)
  // Packing takes time, during which nothing is locked: a change of the archive meanwhile begins it again.
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const sha256 = await requireUploaded(actor, id)
    const folder = join(actor.services.uploadFolder, randomUUID())
    await mkdir(folder, { mode: 0o700 })
    try {
      const file = await pack(actor, sha256, icon, folder)
      if (await replaceArchive(actor, id, sha256, file)) return
    } catch (error) {
      if (error instanceof ArchiveTooLarge || error instanceof UnpackError) {
        throw badParameter(`The blueprint is too large with this icon: ${error.message}`)
      }
      throw error
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  throw new ApiError('conflict_error', `The archive of blueprint \`${id}\` is being changed by others`)
}

/** The archive of a blueprint that the caller may change. */
async function requireUploaded(actor: Actor, id: string): Promise<string> {
  const blueprint = await requireBlueprint(actor, actor.services.db, id)
  checkOwnTenant(actor, blueprint)
  const { archive_sha256: sha256, state } = blueprint
  if (state === 'uploaded' && sha256 !== null) return sha256
  throw new ApiError(
    'conflict_error',
    `Blueprint \`${id}\` is ${state}: an icon can be set when it is uploaded`,
  )
}

/** @throws bad_parameters_error */
function checkIcon(icon: Buffer): void {
  const problem = pngProblem(icon)
  if (problem !== undefined) throw badParameter(`The icon must be a PNG image: ${problem}`)
}

/** A tar.gz of the archive's folder with this icon or with none, which unpacks within the limits. */
async function pack(
  { services }: Actor,
  sha256: string,
  icon: Buffer | undefined,
  folder: string,
): Promise<string> {
  const { config, db, settings } = services
  const limits = {
    maxBytes: config.get('blueprint_folder_max_size_mb') * 2 ** 20,
    maxEntries: config.get('blueprint_folder_max_files'),
  }
  const unpacked = await unpackedArchive(db, sha256, join(settings.dataFolder, 'archives'), limits)
  const top = basename(unpacked)
  const old = join(top, iconName)
  const isOther = (path: string) => !`${normalize(path)}${sep}`.startsWith(`${old}${sep}`)
  const file = join(folder, 'archive.tar')
  // `./` because a name that begins with `@` would be read as that of another archive.
  await create({ file, cwd: dirname(unpacked), portable: true, filter: isOther }, [`./${top}`])
  if (icon !== undefined) {
    await mkdir(join(folder, 'added', top), { recursive: true })
    await writeFile(join(folder, 'added', old), icon)
    await replace({ file, cwd: join(folder, 'added'), portable: true }, [`./${old}`])
  }
  const packed = `${file}.gz`
  await pipeline(createReadStream(file), createGzip(), createWriteStream(packed))
  await unpackArchive(packed, join(folder, 'tried'), { ...limits, topLevel: 'one directory' })
  return packed
}

/** False when the blueprint has another archive by now. */
async function replaceArchive(actor: Actor, id: string, from: string, file: string): Promise<boolean> {
  const { db, settings } = actor.services
  return db.transaction().execute(async (transaction) => {
    const blueprint = await lockBlueprint(actor, transaction, id)
    if (blueprint.archive_sha256 !== from || blueprint.state !== 'uploaded') return false
    const { sha256 } = await writeArchive(transaction, createReadStream(file), {
      maxBytes: settings.maxArchiveBytes,
    })
    await updateBlueprint(transaction, blueprint.tenant_id, id, {
      archive_sha256: sha256,
      archive_extension: 'tar.gz',
    })
    return true
  })
}
