import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ApiError, badParameter, forbidden } from '@tutti/api'
import { type ArchiveContent, readArchive, type Scope, unpackedArchive } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { anonymous, callersTenant, noCredentials, rightsOf, tenantsWith } from '../authentication/index.ts'
import { readFileContent, readFileNames } from '../plugins/index.ts'
import { type Found, filesBelow, findIn } from './folder.ts'
import { keptFolder } from './kept-folder.ts'
import { parseResourcePath, pathOfUri, type ResourcePath } from './path.ts'
import {
  findBlueprintOwner,
  findDeploymentOwner,
  findSeenPlugin,
  type PluginOwner,
  type ResourceOwner,
} from './queries.ts'

export type Resource =
  | Extract<Found, { type: 'file' }>
  /** As it is stored. */
  | { readonly type: 'archive'; readonly name: string; readonly content: ArchiveContent }
  /** Paths of the files below a folder, relative to it. */
  | { readonly type: 'directory'; readonly files: readonly string[] }

/**
 * A file, or the index of a folder, of a blueprint, a deployment or a plugin (docs/reference/access.md, "The file server"). A
 * deployment's own files go before those of its blueprint.
 *
 * @throws not_found_error, also for what may not be seen; unauthorized_error, forbidden_error
 */
export async function readResource(actor: Actor, text: string): Promise<Resource> {
  const absent = new ApiError('not_found_error', `There is no resource ${text}: it was not found`)
  const path = parseResourcePath(text)
  const access = await accessTo(actor, path, 'read')
  if (path?.kind === 'plugin' && access.plugin !== undefined) {
    const found = await pluginFileAt(actor, path, access.plugin)
    if (found === undefined) throw absent
    return found
  }
  // Only blueprints, deployments and plugins have files here.
  if (path?.kind !== 'owned' || access.owner === undefined) throw absent
  if (path.folder === 'uploaded-blueprints') {
    const uploaded = await uploadedAt(actor, path, access.owner)
    if (uploaded === undefined) throw absent
    return uploaded
  }
  const found: Found[] = []
  for (const folder of await foldersOf(actor, path, access.owner)) {
    const here = await findIn(folder, path.segments)
    if (here?.type === 'file') return here
    if (here !== undefined) found.push(here)
  }
  if (found.length === 0) throw absent
  const files = await Promise.all(found.map((folder) => filesBelow(folder.path)))
  return { type: 'directory', files: [...new Set(files.flat())].sort() }
}

/**
 * The same question for a file server in front of the manager, which asks it of every request that it gets.
 *
 * @throws unauthorized_error, forbidden_error, and bad_parameters_error when it does not say of what
 */
export async function authorizeResource(
  actor: Actor,
  { uri, method }: { readonly uri: string | undefined; readonly method: string },
): Promise<void> {
  if (uri === undefined) {
    throw badParameter('The header X-Original-Uri is missing: it names the path that is asked for')
  }
  const use = method === 'GET' || method === 'HEAD' ? 'read' : 'write'
  const access = await accessTo(actor, pathOfUri(uri), use)
  if (access.isGranted) return
  throw new ApiError('forbidden_error', `User \`${actor.caller.username}\` may not ${use} ${uri}`)
}

type Access = {
  readonly isGranted: boolean
  /** Whose files they are, where they are somebody's and may be seen. */
  readonly owner?: ResourceOwner
  readonly plugin?: PluginOwner
}

/**
 * Packages of agents are everybody's, global blueprints and plugins and what belongs to no tenant every user's; the rest needs
 * `file_server_auth` in the path's tenant, and private ones are for their creator and administrators. Only an execution
 * writes, and to deployments of its own tenant (docs/reference/access.md, "The file server").
 *
 * @throws unauthorized_error, forbidden_error
 */
async function accessTo(
  actor: Actor,
  path: ResourcePath | undefined,
  use: 'read' | 'write',
): Promise<Access> {
  const { access, caller, services } = actor
  if (path?.kind === 'public' && use === 'read') return { isGranted: true }
  if (caller === anonymous) throw noCredentials()
  if (path?.kind === 'plugin') {
    const plugin = await findSeenPlugin(services.db, await fileScope(actor), path.id)
    return plugin !== undefined && use === 'read' ? { isGranted: true, plugin } : { isGranted: false }
  }
  if (path?.kind !== 'owned') return { isGranted: path?.kind === 'shared' && use === 'read' }
  const { folder, tenantName, id } = path
  const isDeployment = folder === 'deployments'
  if (use === 'write' && !(isDeployment && caller.execution !== undefined)) return { isGranted: false }
  const owner = await (isDeployment ? findDeploymentOwner : findBlueprintOwner)(services.db, tenantName, id)
  if (!isDeployment && owner?.visibility === 'global') return { isGranted: true, owner }
  const tenant = await callersTenant(access, caller, tenantName)
  const rights = rightsOf(caller, await access.permissions(), tenant.id)
  if (!rights.holds('file_server_auth')) {
    throw forbidden(caller.username, 'file_server_auth', tenantName)
  }
  const isHidden =
    owner?.visibility === 'private' && owner.createdBy !== caller.username && !rights.holds('administrators')
  return owner === undefined || isHidden ? { isGranted: false } : { isGranted: true, owner }
}

/** What the caller may read of where files are asked for: of all tenants what is global. */
async function fileScope({ access, caller }: Actor): Promise<Scope> {
  const [readable, { globalTenantIds }] = await Promise.all([
    tenantsWith(access, caller, 'file_server_auth'),
    access.tenants(),
  ])
  const tenantIds = readable.map(({ id }) => id)
  return {
    username: caller.username,
    tenantIds,
    administeredTenantIds: readable
      .filter(({ rights }) => rights.holds('administrators'))
      .map(({ id }) => id),
    globalTenantIds: globalTenantIds.filter((id) => !tenantIds.includes(id)),
  }
}

/** A YAML file, the icon, or the wagon. */
async function pluginFileAt(
  { services: { db } }: Actor,
  { id, segments }: Extract<ResourcePath, { kind: 'plugin' }>,
  { tenantId, archiveName, archiveSha256 }: PluginOwner,
): Promise<Resource | undefined> {
  const [name, ...others] = segments
  if (others.length > 0) return undefined
  if (name === undefined) {
    const names = (await readFileNames(db, tenantId, id)).filter(({ is_derived }) => !is_derived)
    return { type: 'directory', files: [archiveName, ...names.map((file) => file.name)].sort() }
  }
  if (name === archiveName) {
    const content = await readArchive(db, archiveSha256)
    return content && { type: 'archive', name, content }
  }
  const content = await readFileContent(db, tenantId, id, name)
  if (content === undefined) return undefined
  const chunks = Readable.from([Buffer.from(content)], { objectMode: false })
  return { type: 'archive', name, content: { size: content.length, chunks } }
}

/** `ID.tar.gz`, the name that clients have always asked for, or with the ending of what it really is. */
async function uploadedAt(
  { services: { db } }: Actor,
  { id, segments }: OwnedPath,
  { archiveSha256, archiveExtension }: ResourceOwner,
): Promise<Resource | undefined> {
  if (archiveSha256 === null) return undefined
  const name = `${id}.${archiveExtension ?? 'tar.gz'}`
  const [first, ...others] = segments
  if (first === undefined) return { type: 'directory', files: [name] }
  if (others.length > 0 || (first !== name && first !== `${id}.tar.gz`)) return undefined
  const content = await readArchive(db, archiveSha256)
  return content && { type: 'archive', name: first, content }
}

type OwnedPath = Extract<ResourcePath, { kind: 'owned' }>

/** In the order in which they are looked through. */
async function foldersOf(
  { services: { db, settings, config, uploadFolder } }: Actor,
  { tenantName, id }: OwnedPath,
  { archiveSha256, folderSha256 = null }: ResourceOwner,
): Promise<readonly string[]> {
  const kept =
    folderSha256 === null
      ? undefined
      : await keptFolder(
          { db, cacheFolder: uploadFolder, maxBytes: 2 * settings.maxUnpackedBytes },
          `${tenantName}/${id}`,
          folderSha256,
        )
  const own = kept === undefined ? [] : [kept]
  if (archiveSha256 === null) return own
  const unpacked = await unpackedArchive(db, archiveSha256, join(settings.dataFolder, 'archives'), {
    maxBytes: config.get('blueprint_folder_max_size_mb') * 2 ** 20,
    maxEntries: config.get('blueprint_folder_max_files'),
  })
  return [...own, unpacked]
}
