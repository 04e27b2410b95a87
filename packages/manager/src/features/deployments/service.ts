import { randomUUID } from 'node:crypto'
import {
  ApiError,
  badParameter,
  checkDisplayName,
  type FilterRule,
  illegalAction,
  type ListQuery,
  notFound,
  parseLabels,
  parseSetVisibility,
  pickIncluded,
  type RouteBody,
  setByCreation,
  type Visibility,
} from '@tutti/api'
import {
  type Database,
  dependentLines,
  deploymentTable,
  findDependents,
  insertExecutions,
  listPage,
  lockId,
  setDeploymentLabels,
} from '@tutti/storage'
import { listScope } from '../../list-scope.ts'
import { checkNewOwner, checkNewVisibility, checkOwnTenant, getItem, visibleRow } from '../../owned.ts'
import { type Request, tenantOf, tenantScope } from '../../request.ts'
import { checkNotWider, requireSite } from '../sites/index.ts'
import {
  blueprintVisibility,
  deploymentResource,
  findDeployment,
  firstLevelResource,
  isDependencyOf,
  liveInstances,
  lockForDeletion,
  setInProgress,
  setSite,
  siteVisibility,
  unfinishedExecutions,
  updateDeployment,
  workflowsOf,
} from './queries.ts'

type DependenciesOption = { readonly _dependencies_of?: string | undefined }
export type ListOptions = DependenciesOption & { readonly all_sub_deployments?: boolean }

const resourceFor = (allSubDeployments: boolean) =>
  allSubDeployments ? deploymentResource : firstLevelResource

export async function listDeployments(
  request: Request,
  query: ListQuery,
  options: ListOptions,
  rules?: readonly FilterRule[],
) {
  const { db } = request.services
  const extra = await amongDependencies(request, options)
  const scope = await listScope(request, query, 'deployment_list')
  const resource = resourceFor(options.all_sub_deployments ?? true)
  return listPage(db, resource(scope), query, scope, extra, rules)
}

/** What holds for the deployments that are asked for. @throws not_found_error */
export async function amongDependencies(request: Request, { _dependencies_of: id }: DependenciesOption) {
  if (id === undefined) return []
  await requireDeployment(request.services.db, request, id)
  return [isDependencyOf(tenantOf(request).id, id)]
}

/**
 * The workflows of all deployments that are found, by their names; with `_common_only` those that every one of them has
 * (spec/rest-facts-a.md 6).
 */
export async function listWorkflows(
  request: Request,
  query: ListQuery,
  options: DependenciesOption & { readonly _common_only?: boolean },
  rules: readonly FilterRule[] = [],
) {
  const scope = await listScope(request, query, 'deployment_list')
  const { items, total } = await workflowsOf(request.services.db, query, scope, {
    rules,
    commonOnly: options._common_only ?? false,
    extra: await amongDependencies(request, options),
  })
  const size = query.getAllResults ? items.length : query.page.size
  const asked = items.map((item) => pickIncluded(item, query.include))
  return { items: asked, metadata: { pagination: { total, offset: query.page.offset, size } } }
}

export const getDeployment = (
  request: Request,
  id: string,
  include?: readonly string[],
  allSubDeployments = true,
) => getItem(request, resourceFor(allSubDeployments)(tenantScope(request)), id, include)

/** The deployment's row where the caller sees it. @throws not_found_error */
export async function requireDeployment(db: Database, request: Request, id: string) {
  const deployment = await findDeployment(db, tenantOf(request).id, id)
  return visibleRow(request, 'Deployment', id, deployment)
}

/** The same to be changed. @throws not_found_error, illegal_action_error */
async function lockDeployment(transaction: Database, request: Request, id: string) {
  await lockId(transaction, deploymentTable, id)
  const deployment = await requireDeployment(transaction, request, id)
  checkOwnTenant(request, deployment)
  return deployment
}

export type DeleteOptions = {
  readonly force: boolean
  readonly deleteLogs: boolean
  readonly recursive: boolean
}

/** Starts the deletion; the row goes when its execution terminates. */
export async function startDeletion(request: Request, id: string, options: DeleteOptions): Promise<void> {
  await request.services.db.transaction().execute(async (transaction) => {
    const deployment = await lockDeployment(transaction, request, id)
    await startDeletions(request, transaction, [deployment], options)
  })
}

type DeploymentToDelete = {
  readonly tenant_id: number
  readonly id: string
  readonly display_name: string
  readonly blueprint_id: string
  readonly visibility: Visibility
}

/**
 * Starts the deletion of deployments of one tenant: of all of them or, where one may not go, of none. The checks in
 * their order: spec/rest-facts-a.md 8. In a group, so many of the executions start at once.
 */
export async function startDeletions(
  request: Request,
  transaction: Database,
  deployments: readonly DeploymentToDelete[],
  options: DeleteOptions,
  group?: { readonly id: string; readonly concurrency: number },
): Promise<void> {
  const [first] = deployments
  if (first === undefined) return
  const tenantId = first.tenant_id
  const ids = deployments.map(({ id }) => id)
  // Locks the rows before anything is counted: a workflow that starts at this moment is seen, or sees the deletion.
  await lockForDeletion(transaction, tenantId, ids)
  const there = await setInProgress(transaction, tenantId, ids)
  for (const id of ids) if (!there.has(id)) throw notFound('Deployment', id)
  const unfinished = await unfinishedExecutions(transaction, tenantId, ids)
  if (unfinished !== undefined) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete deployment ${unfinished.id} - There are running or queued executions for this deployment. ` +
        `Running executions ids: ${unfinished.found.join(', ')}`,
      { hint: 'Wait for them or cancel them' },
    )
  }
  if (!options.force) await checkUnused(request, transaction, ids, options.recursive)
  const atOnce = group?.concurrency ?? deployments.length
  await insertExecutions(
    transaction,
    request.services.queue,
    deployments.map(({ id, display_name, blueprint_id, visibility }, index) => ({
      tenantId,
      id: randomUUID(),
      workflowId: 'delete_deployment_environment',
      status: index < atOnce ? 'pending' : 'queued',
      deployment: { id, displayName: display_name, blueprintId: blueprint_id },
      ...(group !== undefined && { executionGroupId: group.id }),
      parameters: { delete_logs: options.deleteLogs, force: options.force, recursive: options.recursive },
      visibility,
      createdBy: request.caller.username,
    })),
  )
}

async function checkUnused(
  request: Request,
  transaction: Database,
  ids: readonly string[],
  isRecursive: boolean,
): Promise<void> {
  const tenantId = tenantOf(request).id
  const dependents = await findDependents(transaction, tenantId, ids, {
    by: 'delete_deployment_environment',
    recursive: isRecursive,
    together: true,
    scope: tenantScope(request),
  })
  const [needed] = dependents
  if (needed !== undefined) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete deployment ${needed.target} - the following existing installations depend on it:\n` +
        dependentLines(dependents.filter(({ target }) => target === needed.target)),
    )
  }
  const live = await liveInstances(transaction, tenantId, ids)
  if (live !== undefined) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete deployment ${live.id} - There are live nodes for this deployment. Live nodes ids: ${live.found.join(', ')}`,
      { hint: 'Run the workflow uninstall first, or pass force=true' },
    )
  }
}

export async function patchDeployment(
  request: Request,
  id: string,
  patch: RouteBody<'deployments.update'>,
): Promise<void> {
  const labels = patch.labels === undefined ? undefined : parseLabels(patch.labels)
  const displayName = patch.display_name === undefined ? undefined : checkDisplayName(patch.display_name)
  await request.services.db.transaction().execute(async (transaction) => {
    const deployment = await lockDeployment(transaction, request, id)
    checkUnset(deployment, patch)
    if (patch.creator !== undefined) await checkNewOwner(request, transaction, patch.creator)
    const isThere = await updateDeployment(transaction, deployment.tenant_id, id, {
      ...(displayName !== undefined && { displayName }),
      ...(patch.description != null && { description: patch.description }),
      ...(patch.creator !== undefined && { createdBy: patch.creator }),
    })
    if (!isThere) throw notFound('Deployment', id)
    if (labels !== undefined) {
      const owner = { tenantId: deployment.tenant_id, id }
      await setDeploymentLabels(transaction, owner, labels, request.caller.username, 'replace')
    }
  })
}

/**
 * What came from the blueprint is not for users to change (spec/rest-facts-a.md 8).
 *
 * @throws only_deployment_update, conflict_error
 */
function checkUnset(
  { description }: { readonly description: string | null },
  patch: RouteBody<'deployments.update'>,
): void {
  if (patch.blueprint_id != null) {
    throw new ApiError('only_deployment_update', 'blueprint_id can only be changed by a deployment update')
  }
  const isSet = setByCreation.find((name) => patch[name] != null)
  const taken = isSet ?? (patch.description != null && description !== null ? 'description' : undefined)
  if (taken !== undefined) throw new ApiError('conflict_error', `${taken} is already set`)
}

export async function setDeploymentVisibility(
  request: Request,
  id: string,
  visibility: string,
): Promise<void> {
  const wanted = parseSetVisibility(visibility)
  await request.services.db.transaction().execute(async (transaction) => {
    const deployment = await lockDeployment(transaction, request, id)
    await checkNewVisibility(request, transaction, deploymentTable, deployment, wanted)
    await checkNotWiderThanSite(transaction, deployment, wanted)
    if (wanted === 'global') {
      const blueprint = await blueprintVisibility(
        transaction,
        deployment.blueprint_tenant_id,
        deployment.blueprint_id,
      )
      if (blueprint !== 'global') {
        throw illegalAction(
          `The visibility of deployment \`${id}\` can't be wider than that of its blueprint \`${deployment.blueprint_id}\`. ` +
            `Current blueprint visibility is ${blueprint}`,
        )
      }
    }
    const isThere = await updateDeployment(transaction, deployment.tenant_id, id, { visibility: wanted })
    if (!isThere) throw notFound('Deployment', id)
  })
}

async function checkNotWiderThanSite(
  transaction: Database,
  deployment: Awaited<ReturnType<typeof requireDeployment>>,
  wanted: Visibility,
): Promise<void> {
  const { site_tenant_id: tenantId, site_name: name } = deployment
  if (tenantId === null || name === null) return
  const visibility = await siteVisibility(transaction, { tenantId, name })
  if (visibility !== undefined) checkNotWider(deployment.id, wanted, { id: name, visibility })
}

/** Either one site or none from now on (spec/rest-facts-a.md 8). */
export async function setDeploymentSite(
  request: Request,
  id: string,
  body: RouteBody<'deployments.setSite'>,
): Promise<void> {
  const { site_name: name, detach_site: detaches } = body
  if ((name == null) === (detaches !== true)) {
    throw badParameter('Must provide either a `site_name` of a valid site or `detach_site` with true value')
  }
  await request.services.db.transaction().execute(async (transaction) => {
    const deployment = await lockDeployment(transaction, request, id)
    const site = name == null ? undefined : await requireSite(request, transaction, name)
    if (site !== undefined) checkNotWider(id, deployment.visibility, site)
    const link = site && { tenantId: site.tenant_id, name: site.id }
    if (!(await setSite(transaction, deployment.tenant_id, id, link))) throw notFound('Deployment', id)
  })
}
