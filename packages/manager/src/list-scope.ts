import { isPermitted, type ListQuery, type Permission } from '@tutti/api'
import type { Scope } from '@tutti/storage'
import { listTenantsOf } from './features/tenants/index.ts'
import { type Request, tenantOf, tenantScope } from './request.ts'

/**
 * The rows that a list may show. With `_all_tenants`: those of every tenant for holders of `all_tenants`, else those
 * of the caller's tenants whose role grants the permission (spec/rest-facts-b.md 3).
 */
export async function listScope(
  request: Request,
  query: Pick<ListQuery, 'allTenants'>,
  permission: Permission,
): Promise<Scope> {
  if (!query.allTenants) return tenantScope(request)
  const { username, systemRole } = request.caller
  const seesAll = isPermitted('all_tenants', [systemRole])
  const tenants = await listTenantsOf(request.services.db, request.caller.userId)
  const readable = tenants.filter(
    ({ role }) => seesAll || isPermitted(permission, role === null ? [systemRole] : [systemRole, role]),
  )
  const administered = readable.filter(({ role }) =>
    isPermitted('administrators', role === null ? [systemRole] : [systemRole, role]),
  )
  const tenantIds = readable.map((tenant) => tenant.id)
  return {
    username,
    tenantIds,
    administeredTenantIds: administered.map((tenant) => tenant.id),
    globalTenantIds: tenantOf(request).globalTenantIds.filter((id) => !tenantIds.includes(id)),
  }
}
