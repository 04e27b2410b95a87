import {
  badParameter,
  checkGlobalAllowed,
  checkWidening,
  duplicate,
  foreignGlobal,
  globalClash,
  type ItemAnswer,
  notFound,
  parseTimestamp,
  type Visibility,
} from '@tutti/api'
import {
  type Database,
  existsInOtherTenants,
  findById,
  findOwned,
  holdUser,
  type ListedResource,
  lockGlobals,
  lockId,
  type OwnedRow,
  type OwnedTable,
  type Transaction,
} from '@tutti/storage'
import { type Actor, isHiddenFrom, requirePermission, tenantOf, tenantScope } from './actor.ts'
import { noCredentials, rightsOf } from './authentication/index.ts'

/**
 * The rules that everything follows which belongs to a tenant and was created by somebody: who sees it, who may change
 * it, what it may be called and how widely it may be seen (docs/reference/rest-conventions.md, "Visibility").
 */

/** The resource as answers show it. @throws not_found_error */
export async function answerItem(
  actor: Actor,
  resource: ListedResource,
  id: string,
  include?: readonly string[],
  scope = tenantScope(actor),
): Promise<ItemAnswer> {
  const item = await findById(actor.services.db, resource, id, scope, include)
  if (item === undefined) throw notFound(resource.model, id)
  return item
}

/** The same for whoever looks into it. @throws not_found_error */
export const getItem = async (...asked: Parameters<typeof answerItem>) => (await answerItem(...asked)).item

/** The row, where there is one and the caller sees it. @throws not_found_error */
export function visibleRow<Row extends OwnedRow>(
  actor: Actor,
  model: string,
  id: string,
  row: Row | undefined,
): Row {
  if (row === undefined || isHiddenFrom(actor, row)) throw notFound(model, id)
  return row
}

/** The row with further columns of its table. @throws not_found_error */
export async function requireOwned<Extra extends object = object>(
  actor: Actor,
  db: Database,
  owned: OwnedTable,
  id: string,
  columns: readonly (keyof Extra & string)[] = [],
): Promise<OwnedRow & Extra> {
  const row = await findOwned<Extra>(db, owned, tenantOf(actor).id, id, columns)
  return visibleRow(actor, owned.model, id, row)
}

/** Of a global resource of another tenant nothing may be changed. @throws illegal_action_error */
export function checkOwnTenant(actor: Actor, row: OwnedRow): void {
  if (row.tenant_id !== tenantOf(actor).id) throw foreignGlobal(row.id, row.tenant_name)
}

/** Locks the id and answers its row, to be changed. @throws not_found_error, illegal_action_error */
export async function lockOwned<Extra extends object = object>(
  actor: Actor,
  transaction: Transaction,
  owned: OwnedTable,
  id: string,
  columns: readonly (keyof Extra & string)[] = [],
): Promise<OwnedRow & Extra> {
  await lockId(transaction, owned, id)
  const row = await requireOwned<Extra>(actor, transaction, owned, id, columns)
  checkOwnTenant(actor, row)
  return row
}

/** @throws forbidden_error unless the caller may create something that is seen so widely */
export function checkMayBeGlobal(actor: Actor, visibility: Visibility): void {
  checkGlobalAllowed(visibility, actor.caller.username, actor.rights.holds('create_global_resource'))
}

/** Under the lock of the id. @throws conflict_error for a global one while another tenant has the id */
export async function checkOnlyOne(
  transaction: Transaction,
  { model, ...owned }: OwnedTable,
  row: Pick<OwnedRow, 'tenant_id' | 'tenant_name' | 'id'>,
  visibility: Visibility,
): Promise<void> {
  if (visibility !== 'global') return
  await lockGlobals(transaction, { model, ...owned })
  if (await existsInOtherTenants(transaction, { model, ...owned }, row.tenant_id, row.id)) {
    throw globalClash(model, row.id, row.tenant_name)
  }
}

/** Locks an id that is to be created and checks that it may. @throws conflict_error, forbidden_error */
export async function claimId(
  actor: Actor,
  transaction: Transaction,
  owned: OwnedTable,
  id: string,
  visibility: Visibility,
  /** Said when there is one already. */
  taken = duplicate(owned.model, id, tenantOf(actor).name),
): Promise<void> {
  const { id: tenant_id, name: tenant_name } = tenantOf(actor)
  checkMayBeGlobal(actor, visibility)
  await lockId(transaction, owned, id)
  if ((await findOwned(transaction, owned, tenant_id, id)) !== undefined) throw taken
  await checkOnlyOne(transaction, owned, { tenant_id, tenant_name, id }, visibility)
}

/** Under the lock of the id: whether it may be seen so widely from now on. */
export async function checkNewVisibility(
  actor: Actor,
  transaction: Transaction,
  owned: OwnedTable,
  row: OwnedRow,
  wanted: Visibility,
): Promise<void> {
  checkWidening(row.id, row.visibility, wanted)
  if (wanted === row.visibility) return
  checkMayBeGlobal(actor, wanted)
  await checkOnlyOne(transaction, owned, row, wanted)
}

/** Whether the caller administers the tenant of a resource, which may be another one than the request's. */
export async function administers({ caller, access }: Actor, tenantId: number): Promise<boolean> {
  return rightsOf(caller, await access.permissions(), tenantId).holds('administrators')
}

/** Keeps the caller from being deleted while something of his is created. @throws unauthorized_error when he just was */
export async function holdCaller({ caller }: Actor, transaction: Transaction): Promise<void> {
  if (!(await holdUser(transaction, caller.username))) throw noCredentials()
}

/** Who may be made the owner, and by whom. @throws forbidden_error, bad_parameters_error */
export async function checkNewOwner(actor: Actor, transaction: Transaction, username: string): Promise<void> {
  requirePermission(actor, 'set_owner')
  if (!(await holdUser(transaction, username))) throw badParameter(`User ${username} does not exist.`)
}

/**
 * Who created it and when: the caller, now, unless somebody who may says otherwise, as a restored snapshot does
 * (docs/reference/rest-conventions.md, "Visibility"). The owner stays until the transaction ends.
 *
 * @throws forbidden_error, bad_parameters_error, unauthorized_error
 */
export async function creationOf(
  actor: Actor,
  transaction: Transaction,
  given: { readonly created_by?: string | null; readonly created_at?: string | null },
): Promise<{ readonly created_by: string; readonly created_at?: Date }> {
  if (given.created_by == null) await holdCaller(actor, transaction)
  else await checkNewOwner(actor, transaction, given.created_by)
  if (given.created_at != null) requirePermission(actor, 'set_timestamp')
  return {
    created_by: given.created_by ?? actor.caller.username,
    ...(given.created_at != null && { created_at: parseTimestamp(given.created_at) }),
  }
}
