import {
  ApiError,
  checkIdentifier,
  illegalAction,
  isWider,
  type ListAnswer,
  type ListQuery,
  parseCreateVisibility,
  parseGivenVisibility,
  parseLocation,
  type RouteBody,
  type Visibility,
} from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { type Database, deleteOwned, listPage, lockId, siteTable } from '@tutti/storage'
import { type Actor, tenantOf } from '../actor.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, checkNewVisibility, claimId, creationOf, lockOwned, requireOwned } from '../owned.ts'
import { insertSite, siteResource, updateSite } from './queries.ts'

export async function listSites(actor: Actor, list: ListQuery): Promise<ListAnswer> {
  const scope = await listScope(actor, list, 'site_list')
  return listPage(actor.services.db, siteResource, list, scope)
}

/** @throws not_found_error */
export const getSite = (actor: Actor, name: string, include?: readonly string[]) =>
  answerItem(actor, siteResource, name, include)

/** The site's row where the caller sees it. @throws not_found_error */
export const requireSite = (actor: Actor, db: Database, name: string) =>
  requireOwned(actor, db, siteTable, name)

/** @throws illegal_action_error for a deployment that more people see than its site */
export function checkNotWider(
  deploymentId: string,
  visibility: Visibility,
  site: { readonly id: string; readonly visibility: Visibility },
): void {
  if (!isWider(visibility, site.visibility)) return
  throw illegalAction(
    `The visibility of deployment \`${deploymentId}\`: \`${visibility}\` can't be wider than the visibility of ` +
      `its site \`${site.id}\`: \`${site.visibility}\``,
  )
}

/** @throws bad_parameters_error, conflict_error, forbidden_error */
export async function createSite(
  actor: Actor,
  transaction: Transaction,
  name: string,
  body: RouteBody<'sites.create'>,
): Promise<void> {
  checkIdentifier('name', name)
  const visibility = parseCreateVisibility(body)
  const location = body.location == null ? undefined : parseLocation(body.location)
  const creation = await creationOf(actor, transaction, body)
  await claimId(actor, transaction, siteTable, name, visibility)
  await insertSite(transaction, {
    tenant_id: tenantOf(actor).id,
    name,
    visibility,
    latitude: location?.latitude ?? null,
    longitude: location?.longitude ?? null,
    ...creation,
  })
}

/** Answers what the site is called from now on. */
export async function changeSite(
  actor: Actor,
  transaction: Transaction,
  name: string,
  body: RouteBody<'sites.update'>,
): Promise<string> {
  const newName = body.new_name == null ? name : checkIdentifier('new_name', body.new_name)
  const visibility = parseGivenVisibility(body)
  const location = body.location == null ? undefined : (parseLocation(body.location) ?? null)
  // Always in the same order: two that swap names wait for each other in a line, not in a circle.
  for (const one of [name, newName].sort()) await lockId(transaction, siteTable, one)
  const site = await lockOwned(actor, transaction, siteTable, name)
  if (visibility !== undefined) {
    await checkNewVisibility(actor, transaction, siteTable, site, visibility)
  }
  if (newName !== name) {
    const taken = new ApiError(
      'conflict_error',
      `Invalid new name \`${newName}\`, it already exists on <Tenant name=\`${site.tenant_name}\`> or with global visibility`,
    )
    await claimId(actor, transaction, siteTable, newName, visibility ?? site.visibility, taken)
  }
  await updateSite(transaction, site.tenant_id, name, {
    ...(newName !== name && { name: newName }),
    ...(visibility !== undefined && { visibility }),
    ...(location !== undefined && { location }),
  })
  return newName
}

/** Its deployments are at no site then. @throws illegal_action_error, not_found_error */
export async function removeSite(actor: Actor, transaction: Transaction, name: string): Promise<void> {
  await deleteOwned(transaction, siteTable, await lockOwned(actor, transaction, siteTable, name))
}
