import { forbidden, type Permission, tenantNotProvided } from '@tutti/api'
import type { Scope, Transaction, Visibility } from '@tutti/storage'
import type { Caller } from './authentication/authenticate.ts'
import type { AccessView } from './authentication/directory.ts'
import type { Asking } from './authentication/passwords.ts'
import type { Rights } from './authentication/rights.ts'
import type { Services } from './services.ts'

export type Tenant = {
  readonly id: number
  readonly name: string
  /** Tenants that have global resources, possibly this one among them. */
  readonly globalTenantIds: readonly number[]
}

/** On whose behalf somebody acts. */
export type Behalf =
  | {
      readonly kind: 'request'
      /** Where it comes from. */
      readonly address: string
      /** Aborted when nobody waits for the answer any more. */
      readonly disconnected: AbortSignal
    }
  | { readonly kind: 'execution'; readonly executionId: string }
  | { readonly kind: 'system' }

/** Who acts, in which tenant, with which rights, and what they act with: rules ask nothing else of whoever calls them. */
export type Actor = {
  readonly services: Services
  readonly caller: Caller
  /** Absent only where none is needed. */
  readonly tenant: Tenant | undefined
  /** What the caller's system roles and those in the tenant allow. */
  readonly rights: Rights
  /** What the rights were taken from. */
  readonly access: AccessView
  readonly behalf: Behalf
}

/** For whom a password is hashed, which takes turns by address. */
export const askingOf = ({ behalf }: Actor): Asking =>
  behalf.kind === 'request' ? behalf : { address: '', disconnected: new AbortController().signal }

/** The tenant, of what needs one. */
export function tenantOf(actor: Actor): Tenant {
  if (actor.tenant === undefined) throw tenantNotProvided()
  return actor.tenant
}

export function isAdministrator(actor: Actor): boolean {
  return actor.rights.holds('administrators')
}

/** @throws forbidden_error unless the caller's roles hold the permission */
export function requirePermission(actor: Actor, permission: Permission): void {
  if (actor.rights.holds(permission)) return
  throw forbidden(actor.caller.username, permission, actor.tenant?.name)
}

/** Whether a private resource is somebody else's: to this caller it does not exist. */
export function isHiddenFrom(
  actor: Actor,
  resource: { readonly visibility: Visibility; readonly created_by: string },
): boolean {
  return (
    resource.visibility === 'private' &&
    resource.created_by !== actor.caller.username &&
    !isAdministrator(actor)
  )
}

/** What the caller may see in the actor's tenant, with the global resources of the others. */
export function tenantScope(actor: Actor): Scope {
  const { id, globalTenantIds } = tenantOf(actor)
  return {
    username: actor.caller.username,
    tenantIds: [id],
    administeredTenantIds: isAdministrator(actor) ? [id] : [],
    globalTenantIds: globalTenantIds.filter((other) => other !== id),
  }
}

/** The same without what other tenants share: of that nothing may be changed. */
export const ownTenantScope = (actor: Actor): Scope => ({ ...tenantScope(actor), globalTenantIds: [] })

/**
 * Begins a transaction, in which all that `work` does happens, or nothing; what it throws ends it. The actor that it is
 * given reads in it too: who holds one connection must not wait for another.
 */
export const inTransaction = <T>(
  actor: Actor,
  work: (within: Actor, transaction: Transaction) => Promise<T>,
): Promise<T> =>
  actor.services.db
    .transaction()
    .execute((transaction) =>
      work({ ...actor, services: { ...actor.services, db: transaction } }, transaction),
    )
