import { randomUUID } from 'node:crypto'
import {
  ApiError,
  badParameter,
  checkDisplayName,
  emptyUpdate,
  type FilterRule,
  illegalAction,
  type ListQuery,
  notFound,
  parseLabels,
  parseSetVisibility,
  type RouteBody,
  type Visibility,
} from '@tutti/api'
import {
  type Database,
  dependentLines,
  deploymentTable,
  findDependents,
  insertExecution,
  listPage,
  lockId,
  setDeploymentLabels,
} from '@tutti/storage'
import { listScope } from '../../list-scope.ts'
import { checkNewOwner, checkNewVisibility, checkOwnTenant, getItem, visibleRow } from '../../owned.ts'
import { type Request, tenantOf } from '../../request.ts'
import { checkNotWider, requireSite } from '../sites/index.ts'
import {
  blueprintVisibility,
  deploymentResource,
  findDeployment,
  firstLevelResource,
  isDependencyOf,
  isEnvironmentOnly,
  isInNoGroup,
  liveInstances,
  lockForDeletion,
  setInProgress,
  setSite,
  siteVisibility,
  unfinishedExecutions,
  updateDeployment,
  workflowsOf,
} from './queries.ts'

export type ListOptions = {
  readonly dependenciesOf?: string | undefined
  readonly environmentsOnly?: boolean
  readonly groupId?: string | undefined
  readonly allSubDeployments?: boolean
}

const resourceFor = (allSubDeployments: boolean) =>
  allSubDeployments ? deploymentResource : firstLevelResource

export async function listDeployments(
  request: Request,
  query: ListQuery,
  options: ListOptions,
  rules?: readonly FilterRule[],
) {
  const { db } = request.services
  const { dependenciesOf } = options
  if (dependenciesOf !== undefined) await requireDeployment(db, request, dependenciesOf)
  const scope = await listScope(request, query, 'deployment_list')
  const extra = [
    ...(dependenciesOf === undefined ? [] : [isDependencyOf(tenantOf(request).id, dependenciesOf)]),
    ...(options.environmentsOnly ? [isEnvironmentOnly] : []),
    ...(options.groupId === undefined ? [] : [isInNoGroup]),
  ]
  return listPage(db, resourceFor(options.allSubDeployments ?? true), query, scope, extra, rules)
}

/**
 * The workflows of all deployments that are found, by their names; with `_common_only` those that every one of them has
 * (spec/rest-facts-a.md 6).
 */
export async function listWorkflows(
  request: Request,
  query: ListQuery,
  options: { readonly _common_only?: boolean; readonly _group_id?: string | null },
  rules: readonly FilterRule[] = [],
) {
  const scope = await listScope(request, query, 'deployment_list')
  const { items, total } = await workflowsOf(request.services.db, query, scope, {
    rules,
    commonOnly: options._common_only ?? false,
    extra: options._group_id == null ? [] : [isInNoGroup],
  })
  const size = query.getAllResults ? items.length : query.page.size
  return { items, metadata: { pagination: { total, offset: query.page.offset, size } } }
}

export const getDeployment = (
  request: Request,
  id: string,
  include?: readonly string[],
  allSubDeployments = true,
) => getItem(request, resourceFor(allSubDeployments), id, include)

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

/**
 * Starts the deletion; the row goes when its execution terminates. The checks in their order:
 * spec/rest-facts-a.md 8.
 */
export async function startDeletion(request: Request, id: string, options: DeleteOptions): Promise<void> {
  await request.services.db.transaction().execute(async (transaction) => {
    const deployment = await lockDeployment(transaction, request, id)
    const tenantId = deployment.tenant_id
    await lockForDeletion(transaction, tenantId, id)
    // Locks the row before anything is counted: a workflow that starts at this moment is seen, or sees the deletion.
    if (!(await setInProgress(transaction, tenantId, id))) throw notFound('Deployment', id)
    const unfinished = await unfinishedExecutions(transaction, tenantId, id)
    if (unfinished.length > 0) {
      throw new ApiError(
        'dependent_exists_error',
        `Can't delete deployment ${id} - There are running or queued executions for this deployment. ` +
          `Running executions ids: ${unfinished.join(', ')}`,
        { hint: 'Wait for them or cancel them' },
      )
    }
    if (!options.force) await checkUnused(transaction, tenantId, id, options.recursive)
    await insertExecution(transaction, request.services.queue, {
      tenantId,
      id: randomUUID(),
      workflowId: 'delete_deployment_environment',
      status: 'pending',
      deployment: { id, displayName: deployment.display_name, blueprintId: deployment.blueprint_id },
      parameters: { delete_logs: options.deleteLogs, force: options.force, recursive: options.recursive },
      visibility: deployment.visibility,
      createdBy: request.caller.username,
    })
  })
}

async function checkUnused(
  transaction: Database,
  tenantId: number,
  id: string,
  isRecursive: boolean,
): Promise<void> {
  const by = 'delete_deployment_environment'
  const dependents = await findDependents(transaction, tenantId, id, { by, recursive: isRecursive })
  if (dependents.length > 0) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete deployment ${id} - the following existing installations depend on it:\n` +
        dependentLines(dependents),
    )
  }
  const live = await liveInstances(transaction, tenantId, id)
  if (live.length > 0) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete deployment ${id} - There are live nodes for this deployment. Live nodes ids: ${live.join(', ')}`,
      { hint: 'Run the workflow uninstall first, or pass force=true' },
    )
  }
}

export async function patchDeployment(
  request: Request,
  id: string,
  patch: RouteBody<'deployments.update'>,
): Promise<void> {
  if (Object.keys(patch).length === 0) throw emptyUpdate()
  const labels = patch.labels === undefined ? undefined : parseLabels(patch.labels)
  const displayName = patch.display_name === undefined ? undefined : checkDisplayName(patch.display_name)
  await request.services.db.transaction().execute(async (transaction) => {
    const deployment = await lockDeployment(transaction, request, id)
    if (patch.creator !== undefined) await checkNewOwner(request, transaction, patch.creator)
    const isThere = await updateDeployment(transaction, deployment.tenant_id, id, {
      ...(displayName !== undefined && { displayName }),
      ...(patch.creator !== undefined && { createdBy: patch.creator }),
    })
    if (!isThere) throw notFound('Deployment', id)
    if (labels !== undefined) {
      const owner = { tenantId: deployment.tenant_id, id }
      await setDeploymentLabels(transaction, owner, labels, request.caller.username, 'replace')
    }
  })
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
