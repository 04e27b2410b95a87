import {
  ApiError,
  emptyUpdate,
  type FilterRule,
  isFailedBlueprintState,
  type ListQuery,
  parseLabels,
  parseSetVisibility,
} from '@tutti/api'
import {
  blueprintLabels,
  blueprintTable,
  type Database,
  deleteOwned,
  listPage,
  readArchive,
  replaceLabels,
} from '@tutti/storage'
import { listScope } from '../../list-scope.ts'
import { checkNewOwner, checkNewVisibility, getItem, lockOwned, requireOwned } from '../../owned.ts'
import type { Request } from '../../request.ts'
import {
  type BlueprintState,
  blueprintResource,
  deploymentsOf,
  importersOf,
  notHidden,
  stateColumns,
  updateBlueprint,
} from './queries.ts'

export async function listBlueprints(request: Request, query: ListQuery, rules?: readonly FilterRule[]) {
  const scope = await listScope(request, query, 'blueprint_list')
  return listPage(request.services.db, blueprintResource, query, scope, hiddenIfAsked(query), rules)
}

/** Hidden blueprints are listed and counted only when asked for (spec/rest-facts-a.md 5). */
export const hiddenIfAsked = (query: ListQuery) =>
  query.filters.some((filter) => filter.field === 'is_hidden') ? [] : [notHidden]

export const getBlueprint = (request: Request, id: string, include?: readonly string[]) =>
  getItem(request, blueprintResource, id, include)

/** The blueprint's row where the caller sees it. @throws not_found_error */
export const requireBlueprint = (db: Database, request: Request, id: string) =>
  requireOwned<BlueprintState>(request, db, blueprintTable, id, stateColumns)

/** The same to be changed. @throws not_found_error, illegal_action_error */
const lockBlueprint = (transaction: Database, request: Request, id: string) =>
  lockOwned<BlueprintState>(request, transaction, blueprintTable, id, stateColumns)

/** The rules in their order: spec/rest-facts-a.md 7, last paragraph. */
export async function removeBlueprint(request: Request, id: string, isForced: boolean): Promise<void> {
  await request.services.db.transaction().execute(async (transaction) => {
    const blueprint = await lockBlueprint(transaction, request, id)
    const tenantId = blueprint.tenant_id
    if (!isFailedBlueprintState(blueprint.state)) {
      if (blueprint.state !== 'uploaded' && !isForced) {
        throw new ApiError(
          'invalid_blueprint_error',
          `Can't delete blueprint: Blueprint \`${id}\` is still ${blueprint.state}.`,
          {
            hint: 'Wait until the upload has ended, or pass force=true',
          },
        )
      }
      const importers = isForced ? [] : await importersOf(transaction, tenantId, id)
      if (importers.length > 0) {
        throw new ApiError(
          'blueprint_in_use',
          `Blueprint ${id} is currently in use. You can "force" blueprint removal. Imported by: ${importers.join(', ')}`,
        )
      }
      const deployments = await deploymentsOf(transaction, tenantId, id)
      if (deployments.length > 0) {
        throw new ApiError(
          'dependent_exists_error',
          `Can't delete blueprint ${id} - There are deployments that depend on it: ${deployments.join(', ')}`,
          { hint: 'Delete those deployments first' },
        )
      }
    }
    await deleteOwned(transaction, blueprintTable, blueprint)
  })
}

type Patch = {
  readonly labels?: readonly unknown[]
  readonly visibility?: string
  readonly description?: string | null
  readonly creator?: string
}

export async function patchBlueprint(request: Request, id: string, patch: Patch): Promise<void> {
  if (Object.keys(patch).length === 0) throw emptyUpdate()
  const labels = patch.labels === undefined ? undefined : parseLabels(patch.labels)
  await request.services.db.transaction().execute(async (transaction) => {
    const blueprint = await lockBlueprint(transaction, request, id)
    const owner = { tenantId: blueprint.tenant_id, id }
    if (labels !== undefined) {
      if (blueprint.state !== 'uploaded') {
        throw new ApiError(
          'conflict_error',
          `Blueprint \`${id}\` is ${blueprint.state}: labels can be set when it is uploaded`,
        )
      }
      await replaceLabels(transaction, blueprintLabels, owner, labels, request.caller.username)
    }
    if (patch.creator !== undefined) await checkNewOwner(request, transaction, patch.creator)
    const visibility = patch.visibility === undefined ? undefined : parseSetVisibility(patch.visibility)
    if (visibility !== undefined) {
      await checkNewVisibility(request, transaction, blueprintTable, blueprint, visibility)
    }
    await updateBlueprint(transaction, blueprint.tenant_id, id, {
      ...(visibility !== undefined && { visibility }),
      ...(patch.description != null && { description: patch.description }),
      ...(patch.creator !== undefined && { createdBy: patch.creator }),
    })
  })
}

export async function setBlueprintVisibility(
  request: Request,
  id: string,
  visibility: string,
): Promise<void> {
  const wanted = parseSetVisibility(visibility)
  await request.services.db.transaction().execute(async (transaction) => {
    const blueprint = await lockBlueprint(transaction, request, id)
    await checkNewVisibility(request, transaction, blueprintTable, blueprint, wanted)
    await updateBlueprint(transaction, blueprint.tenant_id, id, { visibility: wanted })
  })
}

/** The archive as it was uploaded, with the headers that the Python client insists on (spec/rest-facts-a.md 7). */
export async function downloadArchive(request: Request, id: string): Promise<AsyncIterable<Uint8Array>> {
  const { db } = request.services
  const blueprint = await requireBlueprint(db, request, id)
  const archive =
    blueprint.archive_sha256 === null ? undefined : await readArchive(db, blueprint.archive_sha256)
  if (archive === undefined) {
    throw new ApiError('not_found_error', `Blueprint \`${id}\` has no archive: it is ${blueprint.state}`)
  }
  request.reply.headers({
    'content-type': 'application/octet-stream',
    'content-length': archive.size,
    'content-disposition': `attachment; filename="${id}.${blueprint.archive_extension ?? 'tar.gz'}"`,
  })
  return archive.chunks
}
