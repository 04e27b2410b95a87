import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  ApiError,
  badParameter,
  checkIdentifier,
  joinVisibilities,
  PluginUpload,
  parseBody,
  parseCreateVisibility,
  type Visibility,
} from '@tutti/api'
import {
  ArchiveTooLarge,
  FetchRefused,
  guardedFetch,
  hashFile,
  pluginTable,
  type Transaction,
  toJson,
  writeArchiveFile,
} from '@tutti/storage'
import { type Actor, tenantOf } from '../actor.ts'
import { systemWorkflowRuns } from '../executions/index.ts'
import { checkMayBeGlobal, claimId, creationOf } from '../owned.ts'
import type { ReceivedArchive } from '../received-archive.ts'
import { hasSamePlugin, insertPlugin, lockPackage } from './queries.ts'
import { readUpload, type SentPlugin, type SentPlugins } from './read-upload.ts'
import { samePlugin } from './same-plugin.ts'
import { invalidPlugin } from './wagon-metadata.ts'

type Upload = {
  readonly visibility: Visibility
  readonly url: string | undefined
  readonly title: string | undefined
  /** Of one that is restored. */
  readonly id: string | undefined
  readonly creation: Parameters<typeof creationOf>[2]
}

export type UploadedPlugins = { readonly isCaravan: boolean; readonly ids: readonly string[] }

/**
 * Reads what was sent, or what is at the address that was, and stores the plugin, or those of a caravan, at once
 * (docs/reference/plugins.md, "Upload"). Until then nothing is written but files of this process.
 *
 * @throws invalid_plugin_error, bad_parameters_error, conflict_error, existing_running_execution_error, forbidden_error
 */
export async function uploadPlugins(
  actor: Actor,
  query: Readonly<Record<string, unknown>>,
  archive: ReceivedArchive,
): Promise<UploadedPlugins> {
  const { services } = actor
  const upload = uploadOf(actor, joinVisibilities(query, { ...query, ...archive.parameters }))
  checkSource(upload, archive)
  await checkNoSnapshot(actor)
  const leave = await services.unpacking.enter(tenantOf(actor).id, disconnectionOf(actor))
  const folder = join(services.uploadFolder, `plugin-${randomUUID()}`)
  try {
    await mkdir(folder, { mode: 0o700 })
    const file = archive.file ?? (await fetchPlugin(actor, upload.url ?? '', folder))
    const { maxUnpackedBytes: maxBytes, maxUnpackedEntries: maxEntries } = services.settings
    return await store(actor, upload, await readUpload(file, folder, { maxBytes, maxEntries }))
  } finally {
    await rm(folder, { recursive: true, force: true })
    leave()
  }
}

function uploadOf(actor: Actor, given: Readonly<Record<string, unknown>>): Upload {
  const parameters = parseBody(PluginUpload, given)
  const visibility = parseCreateVisibility(parameters)
  checkMayBeGlobal(actor, visibility)
  const { id, title, plugin_archive_url: url, uploaded_at, created_by } = parameters
  return {
    visibility,
    url: url || undefined,
    title: title || undefined,
    id: id == null || id === '' ? undefined : checkIdentifier('id', id, 'any'),
    creation: { ...(uploaded_at && { created_at: uploaded_at }), ...(created_by && { created_by }) },
  }
}

function checkSource({ url }: Upload, { file }: ReceivedArchive): void {
  if (url !== undefined && file !== undefined) {
    throw badParameter(
      "Can't pass both a plugin URL via query parameters and plugin data via the request body",
    )
  }
  if (url === undefined && file === undefined) {
    throw badParameter(
      'Missing plugin archive: the request holds neither an archive nor plugin_archive_url',
      { hint: 'Send a wagon, or a zip with a wagon and its YAML files, as the body' },
    )
  }
}

/** What is dumped would not hold it, or only a part of it. */
async function checkNoSnapshot({ services }: Actor): Promise<void> {
  if (!(await systemWorkflowRuns(services.db, 'create_snapshot'))) return
  throw new ApiError(
    'existing_running_execution_error',
    'No plugin can be uploaded while a snapshot is being created or waits to be',
    { hint: 'Wait until it has ended' },
  )
}

const disconnectionOf = ({ behalf }: Actor) => (behalf.kind === 'request' ? behalf.disconnected : undefined)

/** @throws bad_parameters_error */
async function fetchPlugin({ services }: Actor, url: string, folder: string): Promise<string> {
  const { allowedHosts, allowPrivateAddresses, maxArchiveBytes } = services.settings
  const file = join(folder, 'fetched')
  try {
    const rules = { allowedHosts, allowPrivateAddresses, maxBytes: maxArchiveBytes, timeoutMs: 60_000 }
    await pipeline(await guardedFetch(url, rules), createWriteStream(file, { mode: 0o600 }))
    return file
  } catch (error) {
    if (error instanceof FetchRefused) throw badParameter(error.message)
    throw error
  }
}

/**
 * All of a caravan, or nothing. Of those that are here already nothing changes: who sends a caravan again gets the rest
 * of it.
 */
async function store(
  actor: Actor,
  upload: Upload,
  { isCaravan, plugins }: SentPlugins,
): Promise<UploadedPlugins> {
  const { db, settings } = actor.services
  if (isCaravan && upload.id !== undefined)
    throw badParameter('A caravan has many plugins: they cannot have one id')
  const hashed = await Promise.all(
    plugins.map(async (plugin) => ({
      ...plugin,
      file: await hashWagon(plugin.wagon, settings.maxArchiveBytes),
    })),
  )
  const ids = await db.transaction().execute(async (transaction) => {
    await lockPackages(transaction, plugins)
    const stored: string[] = []
    for (const plugin of hashed) {
      if (await hasSamePlugin(transaction, tenantOf(actor).id, plugin.metadata)) {
        if (isCaravan) continue
        throw samePlugin(plugin.metadata)
      }
      stored.push(await storePlugin(actor, transaction, upload, plugin))
    }
    return stored
  })
  return { isCaravan, ids }
}

/** Each in one order, so that two caravans do not wait for each other. */
async function lockPackages(transaction: Transaction, plugins: readonly SentPlugin[]): Promise<void> {
  const names = new Set(plugins.map(({ metadata }) => metadata.package_name))
  for (const name of [...names].sort()) await lockPackage(transaction, name)
}

type Hashed = Awaited<ReturnType<typeof hashFile>>

async function storePlugin(
  actor: Actor,
  transaction: Transaction,
  upload: Upload,
  { metadata, content, file }: SentPlugin & { readonly file: Hashed },
): Promise<string> {
  const id = upload.id ?? randomUUID()
  const { files, labels, blueprint_labels, resource_tags } = content
  const { created_by, created_at } = await creationOf(actor, transaction, upload.creation)
  await claimId(actor, transaction, pluginTable, id, upload.visibility)
  const { sha256 } = await writeArchiveFile(transaction, file)
  await insertPlugin(
    transaction,
    {
      tenant_id: tenantOf(actor).id,
      id,
      ...metadata,
      title: upload.title ?? metadata.package_name,
      supported_py_versions: toJson(metadata.supported_py_versions),
      wheels: toJson(metadata.wheels),
      excluded_wheels: toJson(metadata.excluded_wheels),
      labels: toJson(labels),
      blueprint_labels: toJson(blueprint_labels),
      resource_tags: toJson(resource_tags),
      archive_sha256: sha256,
      visibility: upload.visibility,
      created_by,
      ...(created_at !== undefined && { created_at }),
    },
    files,
  )
  return id
}

/** @throws invalid_plugin_error */
async function hashWagon(file: string, maxBytes: number): Promise<Hashed> {
  try {
    return await hashFile(file, maxBytes)
  } catch (error) {
    if (error instanceof ArchiveTooLarge) throw invalidPlugin(`The wagon cannot be stored: ${error.message}`)
    throw error
  }
}
