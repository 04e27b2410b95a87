import type { ListQuery, Permission } from '@tutti/api'
import type { Scope } from '@tutti/storage'
import { tenantsWith } from './authentication/rights.ts'
import { type Request, tenantOf, tenantScope } from './request.ts'

/**
 * The rows that a list may show. With `_all_tenants`: those of every tenant for holders of `all_tenants`, else those
 * of the caller's tenants whose role grants the permission (docs/reference/access.md, "All tenants").
 */
export async function listScope(
  request: Request,
  query: Pick<ListQuery, 'allTenants'>,
  permission: Permission,
): Promise<Scope> {
  if (!query.allTenants) return tenantScope(request)
  const readable = await tenantsWith(request.access, request.caller, permission)
  const tenantIds = readable.map(({ id }) => id)
  return {
    username: request.caller.username,
    tenantIds,
    administeredTenantIds: readable
      .filter(({ rights }) => rights.holds('administrators'))
      .map(({ id }) => id),
    globalTenantIds: tenantOf(request).globalTenantIds.filter((id) => !tenantIds.includes(id)),
  }
}
