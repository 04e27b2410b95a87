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
import { type Database, findById, listPage, type Transaction } from '@tutti/storage'
import { type Actor, tenantOf, tenantScope } from '../actor.ts'
import {
  addDependencies,
  holdSource,
  holdTargets,
  insertDependencies,
  type NewDependency,
  removeDependencies,
  setConsumerLabels,
} from '../dependencies/index.ts'
import { requireDeployment } from '../deployments/index.ts'
import { answerItem, checkMayBeGlobal, creationOf } from '../owned.ts'
import { deleteDependencies, dependencyResource, findLinks, type Link } from './queries.ts'

export const listDependencies = (actor: Actor, list: ListQuery) =>
  listPage(actor.services.db, dependencyResource, list, tenantScope(actor))

/** @throws not_found_error */
export const getDependency = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, dependencyResource, id, include)

/**
 * Returns the id. Nothing says that the same must not be there already
 * (docs/reference/environments-and-dependencies.md, "Dependencies"). Only here a target that is not there is refused:
 * whoever says many at once, or says it by a function, need not wait for it.
 */
export async function createDependency(
  actor: Actor,
  transaction: Transaction,
  body: RouteBody<'dependencies.create'>,
): Promise<string> {
  const tenantId = tenantOf(actor).id
  const dependency = await toDependency(actor, transaction, body)
  const { username } = actor.caller
  const { target, targetFunction } = dependency
  const isExternal = body.external_source != null
  if (!isExternal && body.source_deployment == null) throw missingBodyField('source_deployment')
  const source =
    isExternal || body.source_deployment == null
      ? undefined
      : await lockSource(actor, transaction, body.source_deployment)
  const found = await holdTargets(transaction, tenantId, username, target === null ? [] : [target])
  if (target !== null && targetFunction === null && !found.has(target)) throw notFound('Deployment', target)
  if (source === undefined) {
    await insertDependencies(transaction, tenantId, null, [dependency], found)
    return dependency.id
  }
  await addDependencies(transaction, source, [dependency], username)
  return dependency.id
}

/** Returns their ids. */
export async function restoreDependencies(
  actor: Actor,
  transaction: Transaction,
  sourceId: string,
  described: readonly DescribedDependency[],
): Promise<readonly string[]> {
  const source = await lockSource(actor, transaction, sourceId)
  return addTo(actor, transaction, source, described)
}

/** All that the deployment depends on from now on, whoever said it before. */
export async function replaceDependencies(
  actor: Actor,
  transaction: Transaction,
  sourceId: string,
  described: readonly DescribedDependency[],
): Promise<readonly string[]> {
  const source = await lockSource(actor, transaction, sourceId)
  await removeDependencies(transaction, source)
  return addTo(actor, transaction, source, described)
}

async function addTo(
  actor: Actor,
  transaction: Transaction,
  source: { readonly tenantId: number; readonly id: string },
  described: readonly DescribedDependency[],
): Promise<readonly string[]> {
  const dependencies: NewDependency[] = []
  for (const one of described) dependencies.push(await toDependency(actor, transaction, one))
  await addDependencies(transaction, source, dependencies, actor.caller.username)
  return dependencies.map(({ id }) => id)
}

/** @throws not_found_error, illegal_action_error for a global one of another tenant */
async function lockSource(actor: Actor, transaction: Transaction, id: string) {
  const { tenant_id: tenantId, tenant_name } = await requireDeployment(actor, transaction, id)
  if (tenantId !== tenantOf(actor).id) throw foreignGlobal(id, tenant_name)
  if (!(await holdSource(transaction, tenantId, id))) throw notFound('Deployment', id)
  return { tenantId, id }
}

async function toDependency(
  actor: Actor,
  transaction: Transaction,
  body: DescribedDependency,
): Promise<NewDependency> {
  const visibility = parseCreateVisibility(body)
  checkMayBeGlobal(actor, visibility)
  const { created_by, created_at } = await creationOf(actor, transaction, body)
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
export async function removeDependency(actor: Actor, transaction: Transaction, removal: Removal) {
  const tenantId = tenantOf(actor).id
  const link = await linkOf(actor, transaction, removal)
  if (link.source !== null) await holdSource(transaction, tenantId, link.source)
  const [first, ...others] = await findLinks(transaction, tenantId, link, tenantScope(actor))
  if (first === undefined) {
    throw notFound(dependencyResource.model, link.creator, {
      dependency_creator: link.creator,
      source_deployment: link.source,
      target_deployment: link.target ?? null,
    })
  }
  const answer = (await findById(transaction, dependencyResource, first, tenantScope(actor)))?.item
  if (answer === undefined) throw notFound(dependencyResource.model, first)
  await deleteDependencies(transaction, tenantId, [first, ...others])
  if (link.source !== null) await setConsumerLabels(transaction, tenantId, link.source, actor.caller.username)
  return answer
}

/** A component that is deleted may be gone before what points at it is. @throws not_found_error */
async function linkOf(actor: Actor, db: Database, removal: Removal): Promise<Link> {
  const { dependency_creator: creator, source_deployment, target_deployment } = removal
  if (creator === undefined) throw missingBodyField('dependency_creator')
  const isExternal = removal.external_source != null
  if (source_deployment == null && !isExternal) throw missingBodyField('source_deployment')
  const source = isExternal ? null : (source_deployment ?? null)
  if (source !== null) await requireDeployment(actor, db, source)
  const isGone = removal.is_component_deletion === true || removal.external_target != null
  if (target_deployment != null && !isGone) await requireDeployment(actor, db, target_deployment)
  return {
    creator,
    source,
    target: removal.external_target == null ? (target_deployment ?? undefined) : null,
  }
}
