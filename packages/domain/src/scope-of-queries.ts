import { defaultPermissions } from '@tutti/api'
import type { Database, Scope } from '@tutti/storage'
import { tenantsWithGlobals } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

/**
 * What the user sees in the tenant, with the global resources of the others. For workers, which keep no rights in
 * memory as managers do.
 */
export async function scopeOf(db: Database, tenantId: number, username: string): Promise<Scope> {
  const [globals, administrator] = await Promise.all([
    tenantsWithGlobals(db),
    sql<{ yes: boolean }>`select ${administeredBy(sql`${tenantId}::int`, username)} as yes`.execute(db),
  ])
  return {
    username,
    tenantIds: [tenantId],
    administeredTenantIds: administrator.rows[0]?.yes === true ? [tenantId] : [],
    globalTenantIds: globals.filter((id) => id !== tenantId),
  }
}

const administratorRoles = [...(defaultPermissions.administrators ?? [])]

/** The first administrator, who may do everything whatever the matrix says. */
const firstAdministratorId = 0

/**
 * Whether the user sees in the tenant what is private to others: by a role of the user or of a group, in the system or
 * in the tenant, and by the matrix as administrators have edited it.
 */
export const administeredBy = (
  tenantId: RawBuilder<unknown>,
  username: string | RawBuilder<unknown>,
): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from users u
    cross join lateral (
      select u.role
      union all
      select g.role from user_group_members m join user_groups g on g.id = m.group_id where m.user_id = u.id
      union all
      select r.role from tenant_roles r where r.user_id = u.id and r.tenant_id = ${tenantId}) held
    left join role_permissions edit on edit.permission = 'administrators' and edit.role = held.role
    where u.username = ${username} and (u.id = ${firstAdministratorId}
      or coalesce(edit.is_granted, held.role = any(${administratorRoles}::text[]))))`
