import {
  ApiError,
  badParameter,
  checkGlobalAllowed,
  checkWidening,
  emptyUpdate,
  foreignGlobal,
  globalClash,
  isFailedBlueprintState,
  type ListQuery,
  notFound,
  parseLabels,
  parseSetVisibility,
  type Visibility,
} from '@tutti/api'
import {
  blueprintLabels,
  type Database,
  findItem,
  listPage,
  readArchive,
  replaceLabels,
} from '@tutti/storage'
import { listScope } from '../../list-scope.ts'
import { isHiddenFrom, type Request, requirePermission, tenantOf, tenantScope } from '../../request.ts'
import {
  blueprintIdIs,
  blueprintResource,
  deleteBlueprint,
  deploymentsOf,
  existsInOtherTenants,
  findBlueprint,
  importersOf,
  lockBlueprintId,
  notHidden,
  updateBlueprint,
  userExists,
} from './queries.ts'

/** Hidden blueprints are listed only when asked for (spec/rest-facts-a.md 5). */
export async function listBlueprints(request: Request, query: ListQuery) {
  // Filters cannot be stored yet, so there is none of any name.
  if (query.filterId !== undefined) throw notFound('BlueprintsFilter', query.filterId)
  const isFiltered = query.filters.some((filter) => filter.field === 'is_hidden')
  const scope = await listScope(request, query, 'blueprint_list')
  return listPage(request.services.db, blueprintResource, query, scope, isFiltered ? [] : [notHidden])
}

export async function getBlueprint(request: Request, id: string, include?: readonly string[]) {
  const { db } = request.services
  const item = await findItem(db, blueprintResource, blueprintIdIs(id), tenantScope(request), include)
  if (item === undefined) throw notFound('Blueprint', id)
  return item
}

/** The blueprint's row where the caller sees it. @throws not_found_error */
export async function requireBlueprint(db: Database, request: Request, id: string) {
  const blueprint = await findBlueprint(db, tenantOf(request).id, id)
  if (blueprint === undefined || isHiddenFrom(request, blueprint)) throw notFound('Blueprint', id)
  return blueprint
}

/** The rules in their order: spec/rest-facts-a.md 7, last paragraph. */
export async function removeBlueprint(request: Request, id: string, isForced: boolean): Promise<void> {
  await request.services.db.transaction().execute(async (transaction) => {
    await lockBlueprintId(transaction, id)
    const blueprint = await requireBlueprint(transaction, request, id)
    const tenantId = blueprint.tenant_id
    checkOwnTenant(request, blueprint)
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
    await deleteBlueprint(transaction, tenantId, id)
  })
}

function checkOwnTenant(
  request: Request,
  blueprint: { readonly id: string; readonly tenant_id: number; readonly tenant_name: string },
) {
  if (blueprint.tenant_id !== tenantOf(request).id) throw foreignGlobal(blueprint.id, blueprint.tenant_name)
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
  if (patch.creator !== undefined) requirePermission(request, 'set_owner')
  await request.services.db.transaction().execute(async (transaction) => {
    await lockBlueprintId(transaction, id)
    const blueprint = await requireBlueprint(transaction, request, id)
    checkOwnTenant(request, blueprint)
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
    if (patch.creator !== undefined && !(await userExists(transaction, patch.creator))) {
      throw badParameter(`User ${patch.creator} does not exist.`)
    }
    if (patch.visibility !== undefined)
      await widen(request, transaction, blueprint, parseSetVisibility(patch.visibility))
    await updateBlueprint(transaction, blueprint.tenant_id, id, {
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
    await lockBlueprintId(transaction, id)
    const blueprint = await requireBlueprint(transaction, request, id)
    checkOwnTenant(request, blueprint)
    await widen(request, transaction, blueprint, wanted)
  })
}

async function widen(
  request: Request,
  transaction: Database,
  blueprint: NonNullable<Awaited<ReturnType<typeof findBlueprint>>>,
  wanted: Visibility,
): Promise<void> {
  const { id, tenant_id: tenantId, tenant_name: tenantName } = blueprint
  checkWidening(id, blueprint.visibility, wanted)
  checkGlobalAllowed(wanted, request.caller.username, request.rights.holds('create_global_resource'))
  if (wanted === 'global' && (await existsInOtherTenants(transaction, tenantId, id))) {
    throw globalClash('Blueprint', id, tenantName)
  }
  await updateBlueprint(transaction, tenantId, id, { visibility: wanted })
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
