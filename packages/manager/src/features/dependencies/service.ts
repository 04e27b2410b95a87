import { randomUUID } from 'node:crypto'
import {
  ApiError,
  checkIdentifier,
  type ListQuery,
  notFound,
  parseCreateVisibility,
  type RouteBody,
} from '@tutti/api'
import {
  type Database,
  dependencyTable,
  dependsOn,
  deploymentTable,
  listPage,
  lockDependencies,
  type OwnedRow,
  showConsumer,
} from '@tutti/storage'
import { claimId, creationOf, getItem, lockOwned, requireOwned } from '../../owned.ts'
import { type Request, tenantOf, tenantScope } from '../../request.ts'
import { deleteAllOf, deleteDependency, dependencyResource, insertDependency } from './queries.ts'

/** Of the request's tenant only: `_all_tenants` says nothing here (spec/rest-facts-a.md 5). */
export const listDependencies = (request: Request, list: ListQuery) =>
  listPage(request.services.db, dependencyResource, list, tenantScope(request))

export const getDependency = (request: Request, id: string, include?: readonly string[]) =>
  getItem(request, dependencyResource, id, include)

type Given = RouteBody<'dependencies.add'>['inter_deployment_dependencies'][number]

/** Answers the new id. @throws not_found_error, conflict_error for a circle */
export async function createDependency(
  request: Request,
  { source_deployment: source, ...given }: RouteBody<'dependencies.create'>,
): Promise<string> {
  return request.services.db.transaction().execute(async (transaction) => {
    await lockDependencies(transaction, tenantOf(request).id)
    // One of another manager's deployments is not looked for here.
    const owner = given.external_source == null ? await ownSource(request, transaction, source) : undefined
    const id = await insertOne(request, transaction, owner, given)
    if (owner !== undefined) await showConsumer(transaction, owner.tenant_id, owner.id)
    return id
  })
}

export async function addDependencies(
  request: Request,
  source: string,
  given: readonly Given[],
  { replaces }: { readonly replaces: boolean },
): Promise<readonly string[]> {
  return request.services.db.transaction().execute(async (transaction) => {
    await lockDependencies(transaction, tenantOf(request).id)
    const owner = await ownSource(request, transaction, source)
    if (replaces) await deleteAllOf(transaction, owner.tenant_id, owner.id)
    const ids: string[] = []
    for (const one of given) ids.push(await insertOne(request, transaction, owner, one))
    await showConsumer(transaction, owner.tenant_id, owner.id)
    return ids
  })
}

/** The deployment may be gone already that it was about. @throws not_found_error */
export async function removeDependency(
  request: Request,
  body: RouteBody<'dependencies.delete'>,
): Promise<void> {
  const tenantId = tenantOf(request).id
  const { dependency_creator: creator, source_deployment, target_deployment } = body
  const source = body.external_source == null ? (source_deployment ?? null) : null
  await request.services.db.transaction().execute(async (transaction) => {
    await lockDependencies(transaction, tenantId)
    if (source !== null) await requireOwned(request, transaction, deploymentTable, source)
    const what = { creator, source, target: target_deployment ?? null }
    if (!(await deleteDependency(transaction, tenantId, what))) {
      throw notFound(dependencyTable.model, creator, {
        source_deployment: source,
        target_deployment: what.target,
      })
    }
    if (source !== null) await showConsumer(transaction, tenantId, source)
  })
}

async function ownSource(
  request: Request,
  transaction: Database,
  id: string | null | undefined,
): Promise<OwnedRow> {
  if (id == null) throw notFound('Deployment', String(id))
  return lockOwned(request, transaction, deploymentTable, id)
}

async function insertOne(
  request: Request,
  transaction: Database,
  source: OwnedRow | undefined,
  given: Given,
): Promise<string> {
  const target = given.target_deployment ?? given.target_deployment_id ?? null
  const isElsewhere = given.external_target != null
  if (!isElsewhere && (target !== null || given.target_deployment_func == null)) {
    await requireOwned(request, transaction, deploymentTable, String(target))
  }
  if (source !== undefined && target !== null && !isElsewhere) {
    if (await dependsOn(transaction, source.tenant_id, target, source.id)) {
      throw new ApiError('conflict_error', `cyclic dependency between deployments ${source.id} and ${target}`)
    }
  }
  const id = given.id == null ? randomUUID() : checkIdentifier('id', given.id, 'any')
  const visibility = parseCreateVisibility(given.visibility)
  const creation = await creationOf(request, transaction, given)
  await claimId(request, transaction, dependencyTable, id, visibility)
  await insertDependency(transaction, {
    tenant_id: tenantOf(request).id,
    id,
    dependency_creator: given.dependency_creator,
    source_deployment_id: source?.id ?? null,
    target_deployment_id: target,
    target_deployment_func: given.target_deployment_func,
    external_source: given.external_source,
    external_target: given.external_target,
    visibility,
    ...creation,
  })
  return id
}
