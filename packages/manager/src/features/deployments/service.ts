import { randomUUID } from 'node:crypto'
import {
  ApiError,
  badParameter,
  checkDisplayName,
  checkGlobalAllowed,
  checkWidening,
  emptyUpdate,
  foreignGlobal,
  globalClash,
  illegalAction,
  type ListQuery,
  notFound,
  parseLabels,
  parseSetVisibility,
  type RouteBody,
} from '@tutti/api'
import {
  type Database,
  deploymentLabels,
  findItem,
  insertExecution,
  listPage,
  replaceLabels,
} from '@tutti/storage'
import { listScope } from '../../list-scope.ts'
import { isHiddenFrom, type Request, requirePermission, tenantOf, tenantScope } from '../../request.ts'
import {
  blueprintVisibility,
  type Dependent,
  deploymentIdIs,
  deploymentResource,
  existsInOtherTenants,
  findDependents,
  findDeployment,
  isDependencyOf,
  isEnvironmentOnly,
  isInNoGroup,
  liveInstances,
  lockDeploymentId,
  setInProgress,
  unfinishedExecutions,
  updateDeployment,
  userExists,
} from './queries.ts'

export type ListOptions = {
  readonly dependenciesOf: string | undefined
  readonly environmentsOnly: boolean
  readonly groupId: string | undefined
}

export async function listDeployments(request: Request, query: ListQuery, options: ListOptions) {
  const { db } = request.services
  const { dependenciesOf } = options
  // Filters cannot be stored yet, so there is none of any name.
  if (query.filterId !== undefined) throw notFound('DeploymentsFilter', query.filterId)
  if (dependenciesOf !== undefined) await requireDeployment(db, request, dependenciesOf)
  return listPage(db, deploymentResource, query, await listScope(request, query, 'deployment_list'), [
    ...(dependenciesOf === undefined ? [] : [isDependencyOf(tenantOf(request).id, dependenciesOf)]),
    ...(options.environmentsOnly ? [isEnvironmentOnly] : []),
    ...(options.groupId === undefined ? [] : [isInNoGroup]),
  ])
}

export async function getDeployment(request: Request, id: string, include?: readonly string[]) {
  const { db } = request.services
  const item = await findItem(db, deploymentResource, deploymentIdIs(id), tenantScope(request), include)
  if (item === undefined) throw notFound('Deployment', id)
  return item
}

/** The deployment's row where the caller sees it. @throws not_found_error */
export async function requireDeployment(db: Database, request: Request, id: string) {
  const deployment = await findDeployment(db, tenantOf(request).id, id)
  if (deployment === undefined || isHiddenFrom(request, deployment)) throw notFound('Deployment', id)
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
    await lockDeploymentId(transaction, id)
    const deployment = await requireDeployment(transaction, request, id)
    const tenantId = deployment.tenant_id
    checkOwnTenant(request, deployment)
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
  const dependents = await findDependents(transaction, tenantId, id, !isRecursive)
  if (dependents.length > 0) {
    const lines = dependents.map((dependent, index) => `  [${index + 1}] ${describeDependent(dependent)}`)
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete deployment ${id} - the following existing installations depend on it:\n${lines.join('\n')}`,
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

function describeDependent({ source, creator }: Dependent): string {
  const [kind, node] = creator.split('.')
  const how =
    kind === 'component'
      ? 'contains'
      : kind === 'sharedresource'
        ? 'uses a shared resource from'
        : kind === 'csys-obj-parent'
          ? 'is contained in'
          : 'uses capabilities of'
  const where = node === undefined ? '' : ` in its node \`${node}\``
  return `Deployment \`${source}\` ${how} the current deployment${where}`
}

function checkOwnTenant(request: Request, deployment: Awaited<ReturnType<typeof requireDeployment>>): void {
  if (deployment.tenant_id !== tenantOf(request).id)
    throw foreignGlobal(deployment.id, deployment.tenant_name)
}

export async function patchDeployment(
  request: Request,
  id: string,
  patch: RouteBody<'deployments.update'>,
): Promise<void> {
  if (Object.keys(patch).length === 0) throw emptyUpdate()
  const labels = patch.labels === undefined ? undefined : parseLabels(patch.labels)
  const displayName = patch.display_name === undefined ? undefined : checkDisplayName(patch.display_name)
  if (patch.creator !== undefined) requirePermission(request, 'set_owner')
  await request.services.db.transaction().execute(async (transaction) => {
    await lockDeploymentId(transaction, id)
    const deployment = await requireDeployment(transaction, request, id)
    checkOwnTenant(request, deployment)
    if (patch.creator !== undefined && !(await userExists(transaction, patch.creator))) {
      throw badParameter(`User ${patch.creator} does not exist.`)
    }
    const isThere = await updateDeployment(transaction, deployment.tenant_id, id, {
      ...(displayName !== undefined && { displayName }),
      ...(patch.creator !== undefined && { createdBy: patch.creator }),
    })
    if (!isThere) throw notFound('Deployment', id)
    if (labels !== undefined) {
      const owner = { tenantId: deployment.tenant_id, id }
      await replaceLabels(transaction, deploymentLabels, owner, labels, request.caller.username)
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
    await lockDeploymentId(transaction, id)
    const deployment = await requireDeployment(transaction, request, id)
    checkOwnTenant(request, deployment)
    checkWidening(id, deployment.visibility, wanted)
    checkGlobalAllowed(wanted, request.caller.username, request.rights.holds('create_global_resource'))
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
      if (await existsInOtherTenants(transaction, deployment.tenant_id, id)) {
        throw globalClash('Deployment', id, deployment.tenant_name)
      }
    }
    const isThere = await updateDeployment(transaction, deployment.tenant_id, id, { visibility: wanted })
    if (!isThere) throw notFound('Deployment', id)
  })
}
