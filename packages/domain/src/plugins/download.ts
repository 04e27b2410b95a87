import { Readable } from 'node:stream'
import { ApiError, badParameter } from '@tutti/api'
import { choosePluginFile } from '@tutti/dsl'
import {
  type ArchiveContent,
  type Database,
  readArchive,
  type ZipEntry,
  zipped,
  zippedSize,
} from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { readFileContent, readFileNames } from './queries.ts'
import { requirePlugin } from './service.ts'
import { inYamlOrder, isYaml } from './yaml-order.ts'

type Download = ArchiveContent & { readonly fileName: string }

/** The wagon as it was uploaded. @throws not_found_error */
export async function downloadWagon(actor: Actor, id: string): Promise<Download> {
  const plugin = await requirePlugin(actor, id)
  return { ...(await wagonOf(actor, plugin.archive_sha256, id)), fileName: plugin.archive_name }
}

/** A zip of the wagon and what came with it, which can be uploaded again. @throws not_found_error */
export async function downloadFullArchive(actor: Actor, id: string): Promise<Download> {
  const { db } = actor.services
  const plugin = await requirePlugin(actor, id)
  const wagon = await wagonOf(actor, plugin.archive_sha256, id)
  const files = await readFileNames(db, plugin.tenant_id, id)
  const entries: ZipEntry[] = [
    // By this ending an upload knows it again.
    { name: wagonName(plugin.archive_name), size: wagon.size, content: () => wagon.chunks },
    ...files
      .filter((file) => !file.is_derived)
      .map(({ name, size }) => ({
        name,
        size,
        content: () => contentOf(db, { tenantId: plugin.tenant_id, id, name }),
      })),
  ]
  return {
    fileName: 'plugin_archive.zip',
    size: zippedSize(entries),
    chunks: Readable.from(zipped(entries), { objectMode: false }),
  }
}

const wagonName = (name: string): string => (name.endsWith('.wgn') ? name : `${name}.wgn`)

async function wagonOf({ services: { db } }: Actor, sha256: string, id: string): Promise<ArchiveContent> {
  const archive = await readArchive(db, sha256)
  if (archive === undefined) throw new ApiError('not_found_error', `Plugin \`${id}\` was deleted just now`)
  return archive
}

type FileKey = { readonly tenantId: number; readonly id: string; readonly name: string }

async function* contentOf(db: Database, { tenantId, id, name }: FileKey): AsyncGenerator<Uint8Array> {
  const content = await readFileContent(db, tenantId, id, name)
  if (content === undefined) throw new Error(`plugin ${id} was deleted while it was read`)
  yield content
}

/**
 * The YAML file that a blueprint of this version imports; without a version the newest
 * (docs/reference/plugins.md, "YAML files").
 *
 * @throws bad_parameters_error, not_found_error
 */
export async function downloadYaml(
  actor: Actor,
  id: string,
  dslVersion: string | undefined,
): Promise<{ readonly fileName: string; readonly content: Uint8Array }> {
  const { db } = actor.services
  const version = dslVersion === undefined || dslVersion === '' ? newest : parseVersion(dslVersion)
  const plugin = await requirePlugin(actor, id)
  const fileName = yamlFor(await readFileNames(db, plugin.tenant_id, id), version)
  const content = fileName === null ? undefined : await readFileContent(db, plugin.tenant_id, id, fileName)
  if (fileName === null || content === undefined) {
    throw new ApiError(
      'not_found_error',
      `Plugin \`${id}\` has no YAML file${dslVersion ? ` for ${dslVersion}` : ''}`,
    )
  }
  return { fileName, content }
}

type Version = readonly [number, number]

/** Newer than all. */
const newest: Version = [Number.MAX_SAFE_INTEGER, 0]

/** `1_5`, `1.5`, or with the name before it. */
function parseVersion(text: string): Version {
  const match = /^(?:cloudify_dsl_)?(\d{1,4})[._](\d{1,4})$/.exec(text)
  if (match === null) throw badParameter(`dsl_version must be a version such as 1_5, got ${text}`)
  return [Number(match[1]), Number(match[2])]
}

type Named = { readonly name: string; readonly is_derived: boolean }

function yamlFor(files: readonly Named[], version: Version): string | null {
  const derived = files.find(({ is_derived }) => is_derived)?.name ?? null
  const names = files.filter(({ name, is_derived }) => isYaml(name) && !is_derived)
  return choosePluginFile(inYamlOrder(names.map(({ name }) => name)), version, derived)
}
