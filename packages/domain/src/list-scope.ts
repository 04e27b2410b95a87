import type { ListQuery, Permission } from '@tutti/api'
import type { Scope } from '@tutti/storage'
import { type Actor, tenantOf, tenantScope } from './actor.ts'
import { tenantsWith } from './authentication/index.ts'

/**
 * The rows that a list may show. With `_all_tenants`: those of every tenant for holders of `all_tenants`, else those
 * of the caller's tenants whose role grants the permission (docs/reference/access.md, "All tenants").
 */
export async function listScope(
  actor: Actor,
  query: Pick<ListQuery, 'allTenants'>,
  permission: Permission,
): Promise<Scope> {
  if (!query.allTenants) return tenantScope(actor)
  const readable = await tenantsWith(actor.access, actor.caller, permission)
  const tenantIds = readable.map(({ id }) => id)
  return {
    username: actor.caller.username,
    tenantIds,
    administeredTenantIds: readable
      .filter(({ rights }) => rights.holds('administrators'))
      .map(({ id }) => id),
    globalTenantIds: tenantOf(actor).globalTenantIds.filter((id) => !tenantIds.includes(id)),
  }
}
