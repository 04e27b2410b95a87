import {
  isPermitted,
  managerPermissions,
  type Permission,
  type PermissionTable,
  unknownTenant,
} from '@tutti/api'
import { bootstrapAdmin } from '../first.ts'
import type { Caller } from './authenticate.ts'
import type { AccessView } from './directory.ts'

/** What a caller holds somewhere: in one tenant, or, without any, by system roles alone. */
export type Rights = {
  readonly roles: readonly string[]
  holds(permission: Permission): boolean
}

/**
 * The execution, where it is not the manager's own, by whose token the caller asks: it acts with the rights of whoever
 * started it, but in its tenant only, and never on what is the whole manager's.
 */
export const boundExecution = ({ execution }: Caller) =>
  execution === undefined || execution.isSystemWorkflow ? undefined : execution

/** System roles count everywhere, tenant roles where they were given; the first administrator may do everything. */
export function rightsOf(caller: Caller, table: PermissionTable, tenantId?: number): Rights {
  const inTenant = tenantId === undefined ? undefined : caller.tenantRoles[tenantId]
  const roles = [...caller.systemRoles, ...(inTenant ?? [])]
  const bound = boundExecution(caller)
  const isElsewhere = bound !== undefined && tenantId !== undefined && tenantId !== bound.tenantId
  return {
    roles,
    holds(permission) {
      if (isElsewhere || (bound !== undefined && managerPermissions.has(permission))) return false
      return caller.userId === bootstrapAdmin.id || isPermitted(permission, roles, table)
    },
  }
}

/** Of a tenant that does not exist, where that is not to be told. */
export const noTenantId = -1

/**
 * Who may not see all tenants is answered alike of one that does not exist and of one where they have no role.
 *
 * @throws forbidden_error when there is none of that name, or none for this execution
 */
export async function callersTenant(view: AccessView, caller: Caller, name: string) {
  const { byName, globalTenantIds } = await view.tenants()
  const tenant = byName.get(name)
  if (tenant === undefined && caller.execution === undefined) {
    if (rightsOf(caller, await view.permissions()).holds('all_tenants')) throw unknownTenant(name)
    return { id: noTenantId, name, globalTenantIds }
  }
  // An execution's token acts in that execution's tenant only, with the rights of whoever started it.
  const isForeign = caller.execution !== undefined && caller.execution.tenantId !== tenant?.id
  if (tenant === undefined || isForeign) throw unknownTenant(name)
  return { ...tenant, globalTenantIds }
}

/**
 * The tenants in which the caller holds the permission; all of them for holders of `all_tenants`, and for an execution
 * its own at most.
 */
export async function tenantsWith(view: AccessView, caller: Caller, permission: Permission) {
  const [{ byName }, table] = await Promise.all([view.tenants(), view.permissions()])
  const seesAll = rightsOf(caller, table).holds('all_tenants')
  const { execution } = caller
  return [...byName.values()]
    .filter(({ id }) => execution === undefined || execution.tenantId === id)
    .map((tenant) => ({ ...tenant, rights: rightsOf(caller, table, tenant.id) }))
    .filter(({ id, rights }) => {
      const isTheirs = execution !== undefined || id in caller.tenantRoles
      return seesAll || (isTheirs && rights.holds(permission))
    })
}
