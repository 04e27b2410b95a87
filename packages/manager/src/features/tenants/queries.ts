import type { Database, ListedResource } from '@tutti/storage'
import { sql } from 'kysely'

/** Every tenant, with the role that the user has in it, if any. */
export async function listTenantsOf(db: Database, userId: number) {
  return db
    .selectFrom('tenants')
    .leftJoin('user_tenants', (join) =>
      join.onRef('user_tenants.tenant_id', '=', 'tenants.id').on('user_tenants.user_id', '=', userId),
    )
    .select(['tenants.id', 'tenants.name', 'user_tenants.role'])
    .orderBy('tenants.name')
    .execute()
}

const members = sql`from user_tenants m join users u on u.id = m.user_id where m.tenant_id = t.id`

/**
 * spec/rest-facts-b.md 4. `withData`: the members themselves instead of their number. User groups are not built yet,
 * so there are none; and there is no broker that a tenant would have credentials for.
 */
export function tenantResource(withData: boolean): ListedResource {
  return {
    model: 'Tenant',
    from: sql`tenants t`,
    fields: {
      name: { column: sql`t.name` },
      groups: { column: withData ? sql`'{}'::json` : sql`0` },
      users: {
        column: withData
          ? sql`(select coalesce(json_object_agg(u.username,
              json_build_object('tenant-role', m.role, 'roles', json_build_array(m.role)) order by u.username), '{}')
              ${members})`
          : sql`(select count(*) ${members})`,
      },
      user_roles: {
        column: withData
          ? sql`(select json_build_object('direct',
              coalesce(json_object_agg(u.username, m.role order by u.username), '{}'), 'groups', '{}'::json) ${members})`
          : sql`null::json`,
      },
      rabbitmq_username: { column: sql`null::text` },
      rabbitmq_password: { column: sql`null::text` },
      rabbitmq_vhost: { column: sql`null::text` },
    },
    search: sql`t.name`,
    ...ownerless(sql`t.id`),
    tieBreaker: sql`t.id`,
  }
}

/** A tenant is seen by whom the scope gives it to, whoever made it. */
function ownerless(tenantId: ReturnType<typeof sql>) {
  return { tenantId, createdBy: sql`''`, visibility: sql`'tenant'` }
}

export const tenantIdIs = (id: number) => sql`t.id = ${id}`
