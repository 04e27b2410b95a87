import {
  ApiError,
  badParameter,
  checkDisplayName,
  checkIdentifier,
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
  blueprintTable,
  type Database,
  deploymentTable,
  findOwned,
  listPage,
  lockId,
  siteTable,
  type Transaction,
} from '@tutti/storage'
import { type Actor, tenantOf } from '../actor.ts'
import { setDeploymentLabels } from '../dependencies/index.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, checkNewOwner, checkNewVisibility, checkOwnTenant, visibleRow } from '../owned.ts'
import { checkNotWider, requireSite } from '../sites/index.ts'
import {
  deploymentResource,
  findDeployment,
  firstLevelResource,
  isDependencyOf,
  setSite,
  shortDeployments,
  updateDeployment,
  workflowsOf,
} from './queries.ts'
import { findWorkdir } from './restore-queries.ts'

type DependenciesOption = { readonly _dependencies_of?: string | undefined }
export type ListOptions = DependenciesOption & {
  readonly all_sub_deployments?: boolean
  readonly _get_data?: boolean
}

const resourceFor = (allSubDeployments: boolean) =>
  allSubDeployments ? deploymentResource : firstLevelResource

/** @throws not_found_error for `_dependencies_of` a deployment that is not there */
export async function listDeployments(
  actor: Actor,
  query: ListQuery,
  options: ListOptions,
  rules?: readonly FilterRule[],
) {
  const { db } = actor.services
  const extra = await amongDependencies(actor, options)
  const scope = await listScope(actor, query, 'deployment_list')
  const allSubDeployments = options.all_sub_deployments ?? true
  const withWorkflows = options._get_data === true || query.include?.includes('workflows')
  const short = allSubDeployments ? shortDeployments.all : shortDeployments.firstLevel
  const resource = withWorkflows ? resourceFor(allSubDeployments) : short
  return listPage(db, resource, query, scope, extra, rules)
}

/** What holds for the deployments that are asked for. @throws not_found_error */
export async function amongDependencies(actor: Actor, { _dependencies_of: id }: DependenciesOption) {
  if (id === undefined) return []
  await requireDeployment(actor, actor.services.db, id)
  return [isDependencyOf(tenantOf(actor).id, id)]
}

/**
 * The workflows of all deployments that are found, by their names; with `_common_only` those that every one of them has
 * (docs/reference/searches-and-summaries.md, "Searches").
 */
export async function listWorkflows(
  actor: Actor,
  query: ListQuery,
  options: DependenciesOption & { readonly _common_only?: boolean },
  rules: readonly FilterRule[] = [],
) {
  const scope = await listScope(actor, query, 'deployment_list')
  const { items, total } = await workflowsOf(actor.services.db, query, scope, {
    rules,
    commonOnly: options._common_only ?? false,
    extra: await amongDependencies(actor, options),
  })
  return { items: items.map((item) => pickIncluded(item, query.include)), total }
}

/** @throws not_found_error */
export const getDeployment = (
  actor: Actor,
  id: string,
  include?: readonly string[],
  allSubDeployments = true,
) => answerItem(actor, resourceFor(allSubDeployments), id, include)

/** A zip without anything in it, in base64: what clients take for a folder without files. */
const emptyZip = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]).toString('base64')

/** The deployment with its working folder, where that field is asked for. */
export async function withWorkdir(
  actor: Actor,
  id: string,
  deployment: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!('workdir_zip' in deployment)) return deployment
  const { db } = actor.services
  const { tenant_id: tenantId } = await requireDeployment(actor, db, id)
  const zip = await findWorkdir(db, { tenantId, id })
  return { ...deployment, workdir_zip: zip?.toString('base64') ?? emptyZip }
}

/** The deployment's row where the caller sees it. @throws not_found_error */
export async function requireDeployment(actor: Actor, db: Database, id: string) {
  const deployment = await findDeployment(db, tenantOf(actor).id, id)
  return visibleRow(actor, 'Deployment', id, deployment)
}

/** The same to be changed. @throws not_found_error, illegal_action_error */
export async function lockDeployment(actor: Actor, transaction: Transaction, id: string) {
  await lockId(transaction, deploymentTable, id)
  const deployment = await requireDeployment(actor, transaction, id)
  checkOwnTenant(actor, deployment)
  return deployment
}

/** @throws bad_parameters_error, forbidden_error, illegal_action_error, not_found_error */
export async function changeDeployment(
  actor: Actor,
  transaction: Transaction,
  id: string,
  patch: RouteBody<'deployments.update'>,
): Promise<void> {
  const labels = patch.labels === undefined ? undefined : parseLabels(patch.labels)
  const displayName = patch.display_name === undefined ? undefined : checkDisplayName(patch.display_name)
  const deployment = await lockDeployment(actor, transaction, id)
  checkUnset(deployment, patch)
  if (patch.creator !== undefined) await checkNewOwner(actor, transaction, patch.creator)
  const isThere = await updateDeployment(transaction, deployment.tenant_id, id, {
    ...(displayName !== undefined && { display_name: displayName }),
    ...(patch.description != null && { description: patch.description }),
    ...(patch.creator !== undefined && { created_by: patch.creator }),
  })
  if (!isThere) throw notFound('Deployment', id)
  if (labels !== undefined) {
    const owner = { tenantId: deployment.tenant_id, id }
    await setDeploymentLabels(transaction, owner, labels, actor.caller.username, 'replace')
  }
}

/**
 * What came from the blueprint is not for users to change (docs/reference/deployments.md, "Changes").
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

/**
 * Never wider than blueprint and site.
 *
 * @throws bad_parameters_error, conflict_error, forbidden_error, illegal_action_error, not_found_error
 */
export async function setDeploymentVisibility(
  actor: Actor,
  transaction: Transaction,
  id: string,
  visibility: string,
): Promise<void> {
  const wanted = parseSetVisibility(visibility)
  const deployment = await lockDeployment(actor, transaction, id)
  await checkNewVisibility(actor, transaction, deploymentTable, deployment, wanted)
  await checkNotWiderThanSite(transaction, deployment, wanted)
  if (wanted === 'global') {
    const { blueprint_tenant_id: tenantId, blueprint_id } = deployment
    const blueprint = await findOwned(transaction, blueprintTable, tenantId, blueprint_id)
    if (blueprint?.visibility !== 'global') {
      throw illegalAction(
        `The visibility of deployment \`${id}\` can't be wider than that of its blueprint \`${deployment.blueprint_id}\`. ` +
          `Current blueprint visibility is ${blueprint?.visibility}`,
      )
    }
  }
  const isThere = await updateDeployment(transaction, deployment.tenant_id, id, { visibility: wanted })
  if (!isThere) throw notFound('Deployment', id)
}

async function checkNotWiderThanSite(
  transaction: Transaction,
  deployment: Awaited<ReturnType<typeof requireDeployment>>,
  wanted: Visibility,
): Promise<void> {
  const { site_tenant_id: tenantId, site_name: name } = deployment
  if (tenantId === null || name === null) return
  const site = await findOwned(transaction, siteTable, tenantId, name)
  if (site !== undefined) checkNotWider(deployment.id, wanted, site)
}

/** Either one site or none from now on (docs/reference/deployments.md, "Changes"). */
export async function setDeploymentSite(
  actor: Actor,
  transaction: Transaction,
  id: string,
  body: RouteBody<'deployments.setSite'>,
): Promise<void> {
  const { site_name: name, detach_site: detaches } = body
  if ((name == null) === (detaches !== true)) {
    throw badParameter('Must provide either a `site_name` of a valid site or `detach_site` with true value')
  }
  if (name != null) checkIdentifier('site_name', name)
  const deployment = await lockDeployment(actor, transaction, id)
  const site = name == null ? undefined : await requireSite(actor, transaction, name)
  if (site !== undefined) checkNotWider(id, deployment.visibility, site)
  const link = site && { tenantId: site.tenant_id, name: site.id }
  if (!(await setSite(transaction, deployment.tenant_id, id, link))) throw notFound('Deployment', id)
}
