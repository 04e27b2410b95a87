import {
  ApiError,
  type FilterRule,
  isFailedBlueprintState,
  type ListQuery,
  parseDatedLabels,
  parseLabels,
  parseSetVisibility,
  type RouteBody,
} from '@tutti/api'
import { packagesOf } from '@tutti/dsl'
import {
  type ArchiveContent,
  blueprintLabels,
  blueprintTable,
  type Database,
  deleteOwned,
  listPage,
  readArchive,
  replaceLabels,
  type Transaction,
  toJson,
  usersText,
} from '@tutti/storage'
import { type Actor, requirePermission, tenantScope } from '../actor.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, checkNewVisibility, creationOf, lockOwned, requireOwned } from '../owned.ts'
import {
  type BlueprintState,
  blueprintResource,
  deploymentsOf,
  hasPlan,
  importersOf,
  notHidden,
  stateColumns,
  updateBlueprint,
} from './queries.ts'
import { checkState, withoutPlan } from './state.ts'

export async function listBlueprints(actor: Actor, query: ListQuery, rules?: readonly FilterRule[]) {
  const scope = await listScope(actor, query, 'blueprint_list')
  return listPage(actor.services.db, blueprintResource, query, scope, hiddenIfAsked(query), rules)
}

/**
 * Hidden blueprints are listed and counted only when asked for (docs/reference/rest-conventions.md, "Field filters").
 */
export const hiddenIfAsked = (query: ListQuery) =>
  query.filters.some((filter) => filter.field === 'is_hidden') ? [] : [notHidden]

/** @throws not_found_error */
export const getBlueprint = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, blueprintResource, id, include)

/** The blueprint's row where the caller sees it. @throws not_found_error */
export const requireBlueprint = (actor: Actor, db: Database, id: string) =>
  requireOwned<BlueprintState>(actor, db, blueprintTable, id, stateColumns)

/** The same to be changed. @throws not_found_error, illegal_action_error */
export const lockBlueprint = (actor: Actor, transaction: Transaction, id: string) =>
  lockOwned<BlueprintState>(actor, transaction, blueprintTable, id, stateColumns)

/** @throws bad_parameters_error, conflict_error, forbidden_error, illegal_action_error, not_found_error */
export async function changeBlueprint(
  actor: Actor,
  transaction: Transaction,
  id: string,
  patch: RouteBody<'blueprints.update'>,
): Promise<void> {
  const { plan, requirements, is_hidden: isHidden } = patch
  if (plan != null || requirements != null || isHidden != null) requirePermission(actor, 'snapshot_restore')
  const labels = patch.labels === undefined ? undefined : labelsOf(actor, patch.labels)
  const blueprint = await lockBlueprint(actor, transaction, id)
  const owner = { tenantId: blueprint.tenant_id, id }
  if (labels !== undefined) {
    if ((patch.state ?? blueprint.state) !== 'uploaded') {
      throw new ApiError(
        'conflict_error',
        `Blueprint \`${id}\` is ${blueprint.state}: labels can be set when it is uploaded`,
      )
    }
    await replaceLabels(transaction, blueprintLabels, owner, labels, actor.caller.username)
  }
  const { created_by: createdBy, created_at: createdAt } = await creationOf(actor, transaction, {
    ...(patch.creator !== undefined && { created_by: patch.creator }),
    ...(patch.created_at != null && { created_at: patch.created_at }),
  })
  if (patch.state != null) {
    checkState(patch.state)
    const isWhole = plan != null || patch.state !== 'uploaded'
    if (!isWhole && !(await hasPlan(transaction, blueprint.tenant_id, id))) throw withoutPlan(id)
  }
  const visibility = patch.visibility === undefined ? undefined : parseSetVisibility(patch.visibility)
  if (visibility !== undefined) {
    await checkNewVisibility(actor, transaction, blueprintTable, blueprint, visibility)
  }
  await updateBlueprint(transaction, blueprint.tenant_id, id, {
    ...(visibility !== undefined && { visibility }),
    ...(patch.description != null && { description: patch.description }),
    ...(patch.main_file_name != null && { main_file_name: patch.main_file_name }),
    ...(patch.state != null && { state: patch.state }),
    ...(patch.error !== undefined && { error: patch.error }),
    ...(patch.error_traceback !== undefined && { error_traceback: patch.error_traceback }),
    ...(patch.creator !== undefined && { created_by: createdBy }),
    ...(createdAt !== undefined && { created_at: createdAt }),
    ...(plan != null && {
      plan: toJson(plan),
      plan_parts: null,
      imported_blueprints: importsOf(plan),
      plugin_packages: [...packagesOf(plan)],
    }),
    ...(requirements != null && { requirements: toJson(requirements) }),
    ...(isHidden != null && { is_hidden: isHidden }),
  })
}

type RecordedPlan = NonNullable<RouteBody<'blueprints.update'>['plan']>

/** Who restores a blueprint also says whose its labels are, and of when. */
const labelsOf = ({ rights }: Actor, labels: readonly unknown[]) =>
  rights.holds('snapshot_restore') ? parseDatedLabels(labels) : parseLabels(labels)

/** The blueprints that the plan was made with: they stay while it is there. */
const importsOf = ({ imported_blueprints: imported }: RecordedPlan): string[] => [...new Set(imported ?? [])]

/**
 * Only ever wider.
 *
 * @throws bad_parameters_error, conflict_error, forbidden_error, illegal_action_error, not_found_error
 */
export async function setBlueprintVisibility(
  actor: Actor,
  transaction: Transaction,
  id: string,
  visibility: string,
): Promise<void> {
  const wanted = parseSetVisibility(visibility)
  const blueprint = await lockBlueprint(actor, transaction, id)
  await checkNewVisibility(actor, transaction, blueprintTable, blueprint, wanted)
  await updateBlueprint(transaction, blueprint.tenant_id, id, { visibility: wanted })
}

/** The rules in their order: docs/reference/blueprints.md, "Deletion". */
export async function removeBlueprint(
  actor: Actor,
  transaction: Transaction,
  id: string,
  isForced: boolean,
): Promise<void> {
  const blueprint = await lockBlueprint(actor, transaction, id)
  const tenantId = blueprint.tenant_id
  const scope = tenantScope(actor)
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
    const importers = isForced ? undefined : await importersOf(transaction, scope, tenantId, id)
    if (importers !== undefined && importers.total > 0) {
      throw new ApiError(
        'blueprint_in_use',
        `Blueprint ${id} is currently in use. You can "force" blueprint removal. Imported by: ${usersText(importers)}`,
      )
    }
  }
  // Also of one that is said to have failed after it was uploaded.
  const deployments = await deploymentsOf(transaction, scope, tenantId, id)
  if (deployments.total > 0) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete blueprint ${id} - There are deployments that depend on it: ${usersText(deployments)}`,
      { hint: 'Delete those deployments first' },
    )
  }
  await deleteOwned(transaction, blueprintTable, blueprint)
}

type Download = ArchiveContent & { readonly fileName: string }

/** The archive as it was uploaded (docs/reference/blueprints.md, "Deletion"). */
export async function downloadArchive(actor: Actor, id: string): Promise<Download> {
  const { db } = actor.services
  const blueprint = await requireBlueprint(actor, db, id)
  const archive =
    blueprint.archive_sha256 === null ? undefined : await readArchive(db, blueprint.archive_sha256)
  if (archive === undefined) {
    throw new ApiError('not_found_error', `Blueprint \`${id}\` has no archive: it is ${blueprint.state}`)
  }
  return { ...archive, fileName: `${id}.${blueprint.archive_extension ?? 'tar.gz'}` }
}
