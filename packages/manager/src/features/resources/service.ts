import { join } from 'node:path'
import { ApiError, forbidden } from '@tutti/api'
import { unpackedArchive } from '@tutti/storage'
import { callersTenant, rightsOf } from '../../authentication/rights.ts'
import type { Request } from '../../request.ts'
import { type Found, filesBelow, findIn } from './folder.ts'
import { parseResourcePath, type ResourcePath } from './path.ts'
import { findBlueprintOwner, findDeploymentOwner, type ResourceOwner } from './queries.ts'

export type Resource =
  | Extract<Found, { type: 'file' }>
  /** Paths of the files below a folder, relative to it. */
  | { readonly type: 'directory'; readonly files: readonly string[] }

/**
 * A file, or the index of a folder, of a blueprint or a deployment (spec/operations.md 2.2). A deployment's own files
 * go before those of its blueprint.
 *
 * @throws not_found_error, also for what may not be seen; forbidden_error
 */
export async function readResource(request: Request, text: string): Promise<Resource> {
  const absent = new ApiError('not_found_error', `There is no resource ${text}: it was not found`)
  const path = parseResourcePath(text)
  // Other paths of the file server hold nothing, for whoever asks.
  if (path === undefined) throw absent
  const owner = await readableOwner(request, path)
  if (owner === undefined) throw absent
  const found: Found[] = []
  for (const folder of await foldersOf(request, path, owner)) {
    const here = await findIn(folder, path.segments)
    if (here?.type === 'file') return here
    if (here !== undefined) found.push(here)
  }
  if (found.length === 0) throw absent
  const files = await Promise.all(found.map((folder) => filesBelow(folder.path)))
  return { type: 'directory', files: [...new Set(files.flat())].sort() }
}

/**
 * Global blueprints are everybody's; the rest needs `file_server_auth` in the path's tenant, and private ones are
 * for their creator and administrators (spec/rest-facts-b.md 13).
 */
async function readableOwner(
  { access, caller, services }: Request,
  { kind, tenantName, id }: ResourcePath,
): Promise<ResourceOwner | undefined> {
  const isBlueprint = kind === 'blueprints'
  const owner = await (isBlueprint ? findBlueprintOwner : findDeploymentOwner)(services.db, tenantName, id)
  if (isBlueprint && owner?.visibility === 'global') return owner
  const tenant = await callersTenant(access, caller, tenantName)
  const rights = rightsOf(caller, await access.permissions(), tenant.id)
  if (!rights.holds('file_server_auth')) {
    throw forbidden(caller.username, 'file_server_auth', tenantName)
  }
  const isHidden =
    owner?.visibility === 'private' && owner.createdBy !== caller.username && !rights.holds('administrators')
  return isHidden ? undefined : owner
}

/** In the order in which they are looked through. */
async function foldersOf(
  { services: { db, settings, config } }: Request,
  { kind, tenantName, id }: ResourcePath,
  { archiveSha256 }: ResourceOwner,
): Promise<readonly string[]> {
  const own = kind === 'deployments' ? [join(settings.dataFolder, 'deployments', tenantName, id)] : []
  if (archiveSha256 === null) return own
  const unpacked = await unpackedArchive(db, archiveSha256, join(settings.dataFolder, 'archives'), {
    maxBytes: config.get('blueprint_folder_max_size_mb') * 2 ** 20,
    maxEntries: config.get('blueprint_folder_max_files'),
  })
  return [...own, unpacked]
}
