import { randomUUID } from 'node:crypto'
import {
  badParameter,
  checkIdentifier,
  type DescribedDependency,
  foreignGlobal,
  type ListQuery,
  missingBodyField,
  notFound,
  parseCreateVisibility,
  type RouteBody,
  type RouteQuery,
} from '@tutti/api'
import {
  addDependencies,
  type Database,
  findById,
  holdSource,
  holdTargets,
  insertDependencies,
  listPage,
  type NewDependency,
  removeDependencies,
  setConsumerLabels,
} from '@tutti/storage'
import { checkMayBeGlobal, creationOf, getItem } from '../../owned.ts'
import { type Request, tenantOf, tenantScope } from '../../request.ts'
import { requireDeployment } from '../deployments/index.ts'
import { deleteDependencies, dependencyResource, findLinks, type Link } from './queries.ts'

export const listDependencies = (request: Request, list: ListQuery) =>
  listPage(request.services.db, dependencyResource, list, tenantScope(request))

/** @throws not_found_error */
export const getDependency = (request: Request, id: string, include?: readonly string[]) =>
  getItem(request, dependencyResource, id, include)

/**
 * Returns the id. Nothing says that the same must not be there already
 * (docs/reference/environments-and-dependencies.md, "Dependencies"). Only here a target that is not there is refused:
 * whoever says many at once, or says it by a function, need not wait for it.
 */
export async function createDependency(
  request: Request,
  body: RouteBody<'dependencies.create'>,
): Promise<string> {
  const tenantId = tenantOf(request).id
  return request.services.db.transaction().execute(async (transaction) => {
    const dependency = await toDependency(request, transaction, body)
    const { username } = request.caller
    const { target, targetFunction } = dependency
    const isExternal = body.external_source != null
    if (!isExternal && body.source_deployment == null) throw missingBodyField('source_deployment')
    const source =
      isExternal || body.source_deployment == null
        ? undefined
        : await lockSource(request, transaction, body.source_deployment)
    const found = await holdTargets(transaction, tenantId, username, target === null ? [] : [target])
    if (target !== null && targetFunction === null && !found.has(target)) throw notFound('Deployment', target)
    if (source === undefined) {
      await insertDependencies(transaction, tenantId, null, [dependency], found)
      return dependency.id
    }
    await addDependencies(transaction, source, [dependency], username)
    return dependency.id
  })
}

/** Returns their ids. */
export async function restoreDependencies(
  request: Request,
  sourceId: string,
  described: readonly DescribedDependency[],
): Promise<readonly string[]> {
  return request.services.db.transaction().execute(async (transaction) => {
    const source = await lockSource(request, transaction, sourceId)
    return addTo(request, transaction, source, described)
  })
}

/** All that the deployment depends on from now on, whoever said it before. */
export async function replaceDependencies(
  request: Request,
  sourceId: string,
  described: readonly DescribedDependency[],
): Promise<readonly string[]> {
  return request.services.db.transaction().execute(async (transaction) => {
    const source = await lockSource(request, transaction, sourceId)
    await removeDependencies(transaction, source)
    return addTo(request, transaction, source, described)
  })
}

async function addTo(
  request: Request,
  transaction: Database,
  source: { readonly tenantId: number; readonly id: string },
  described: readonly DescribedDependency[],
): Promise<readonly string[]> {
  const dependencies: NewDependency[] = []
  for (const one of described) dependencies.push(await toDependency(request, transaction, one))
  await addDependencies(transaction, source, dependencies, request.caller.username)
  return dependencies.map(({ id }) => id)
}

/** @throws not_found_error, illegal_action_error for a global one of another tenant */
async function lockSource(request: Request, transaction: Database, id: string) {
  const { tenant_id: tenantId, tenant_name } = await requireDeployment(request, transaction, id)
  if (tenantId !== tenantOf(request).id) throw foreignGlobal(id, tenant_name)
  if (!(await holdSource(transaction, tenantId, id))) throw notFound('Deployment', id)
  return { tenantId, id }
}

async function toDependency(
  request: Request,
  db: Database,
  body: DescribedDependency,
): Promise<NewDependency> {
  const visibility = parseCreateVisibility(body)
  checkMayBeGlobal(request, visibility)
  const { created_by, created_at } = await creationOf(request, db, body)
  const target = body.target_deployment ?? body.target_deployment_id ?? null
  const func = body.target_deployment_func ?? null
  if (target === null && func === null && body.external_target == null) {
    throw badParameter('One of target_deployment, target_deployment_func and external_target must be given')
  }
  return {
    id: body.id == null ? randomUUID() : checkIdentifier('id', body.id, 'any'),
    creator: body.dependency_creator,
    target: body.external_target == null ? target : null,
    targetFunction: func,
    externalSource: body.external_source ?? null,
    externalTarget: body.external_target ?? null,
    visibility,
    createdBy: created_by,
    createdAt: created_at,
  }
}

type Removal = RouteQuery<'dependencies.delete'>

/** Deletes every dependency that is the link; answers the oldest. @throws not_found_error */
export async function removeDependency(request: Request, removal: Removal) {
  const tenantId = tenantOf(request).id
  return request.services.db.transaction().execute(async (transaction) => {
    const link = await linkOf(request, transaction, removal)
    if (link.source !== null) await holdSource(transaction, tenantId, link.source)
    const [first, ...others] = await findLinks(transaction, tenantId, link, tenantScope(request))
    if (first === undefined) {
      throw notFound(dependencyResource.model, link.creator, {
        dependency_creator: link.creator,
        source_deployment: link.source,
        target_deployment: link.target ?? null,
      })
    }
    const answer = await findById(transaction, dependencyResource, first, tenantScope(request))
    if (answer === undefined) throw notFound(dependencyResource.model, first)
    await deleteDependencies(transaction, tenantId, [first, ...others])
    if (link.source !== null)
      await setConsumerLabels(transaction, tenantId, link.source, request.caller.username)
    return answer
  })
}

/** A component that is deleted may be gone before what points at it is. @throws not_found_error */
async function linkOf(request: Request, db: Database, removal: Removal): Promise<Link> {
  const { dependency_creator: creator, source_deployment, target_deployment } = removal
  if (creator === undefined) throw missingBodyField('dependency_creator')
  const isExternal = removal.external_source != null
  if (source_deployment == null && !isExternal) throw missingBodyField('source_deployment')
  const source = isExternal ? null : (source_deployment ?? null)
  if (source !== null) await requireDeployment(request, db, source)
  const isGone = removal.is_component_deletion === true || removal.external_target != null
  if (target_deployment != null && !isGone) await requireDeployment(request, db, target_deployment)
  return {
    creator,
    source,
    target: removal.external_target == null ? (target_deployment ?? undefined) : null,
  }
}
