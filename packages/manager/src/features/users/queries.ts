import type { Database, ListedResource, Scope } from '@tutti/storage'
import { sql } from 'kysely'

const memberships = sql`from user_tenants m join tenants t on t.id = m.tenant_id where m.user_id = u.id`

export type UserView = {
  /** The tenants themselves instead of their number. */
  readonly withData: boolean
  readonly withHash: boolean
}

/** spec/rest-facts-b.md 4. User groups are not built yet, so there are none; accounts are never locked. */
export function userResource({ withData, withHash }: UserView): ListedResource {
  return {
    model: 'User',
    from: sql`users u`,
    fields: {
      username: { column: sql`u.username` },
      role: { column: sql`u.role` },
      active: { column: sql`u.active` },
      is_locked: { column: sql`false` },
      created_at: timeColumn('created_at'),
      first_login_at: timeColumn('first_login_at'),
      last_login_at: timeColumn('last_login_at'),
      show_getting_started: { column: sql`u.show_getting_started` },
      group_system_roles: { column: sql`'{}'::json` },
      groups: { column: withData ? sql`'[]'::json` : sql`0` },
      tenants: {
        column: withData
          ? sql`(select coalesce(json_object_agg(t.name,
              json_build_object('tenant-role', m.role, 'roles', json_build_array(m.role)) order by t.name), '{}')
              ${memberships})`
          : sql`(select count(*) ${memberships})`,
      },
      tenant_roles: {
        column: withData
          ? sql`(select json_build_object('direct',
              coalesce(json_object_agg(t.name, m.role order by t.name), '{}'), 'groups', '{}'::json) ${memberships})`
          : sql`null::json`,
      },
      password_hash: { column: withHash ? sql`u.password_hash` : sql`null::text` },
    },
    search: sql`u.username`,
    // Users belong to no tenant: whoever may ask sees all of them.
    tenantId: sql`0`,
    createdBy: sql`''`,
    visibility: sql`'tenant'`,
    tieBreaker: sql`u.id`,
  }
}

export const allUsers: Scope = {
  username: '',
  tenantIds: [0],
  administeredTenantIds: [0],
  globalTenantIds: [],
}

export const userIdIs = (id: number) => sql`u.id = ${id}`
export const usernameIs = (name: string) => sql`lower(u.username) = ${name.toLowerCase()}`

function timeColumn(name: string) {
  return {
    column: sql.ref(`u.${name}`),
    toWire: (value: unknown) => (value instanceof Date ? value.toISOString() : null),
  }
}

export async function findUser(db: Database, username: string) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'role', 'active'])
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst()
}

/** Ids of those who may administer the manager; locked, so that two requests do not both take the last one's role. */
export async function lockActiveAdministrators(transaction: Database): Promise<readonly number[]> {
  const rows = await transaction
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'sys_admin')
    .where('active', '=', true)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => row.id)
}

export async function updateUser(
  db: Database,
  id: number,
  change: {
    readonly passwordHash?: string
    readonly role?: string
    readonly showGettingStarted?: boolean
  },
): Promise<void> {
  await db
    .updateTable('users')
    .set({
      ...(change.passwordHash !== undefined && { password_hash: change.passwordHash }),
      ...(change.role !== undefined && { role: change.role }),
      ...(change.showGettingStarted !== undefined && { show_getting_started: change.showGettingStarted }),
    })
    .where('id', '=', id)
    .execute()
}
