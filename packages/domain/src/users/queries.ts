import {
  type Database,
  holdings,
  type ListedResource,
  namedOnly,
  type Transaction,
  timeField,
} from '@tutti/storage'
import { sql } from 'kysely'
import type { Lockout } from '../authentication/index.ts'

const direct = sql`from user_tenants m join tenants t on t.id = m.tenant_id where m.user_id = u.id`
const groups = sql`from user_group_members gm join user_groups g on g.id = gm.group_id where gm.user_id = u.id`

export type UserView = {
  /** The tenants themselves instead of their number. */
  readonly withData: boolean
  readonly withHash: boolean
  readonly lockout: Lockout
}

/** docs/reference/access.md, "Users" */
export function userResource({ withData, withHash, lockout }: UserView): ListedResource {
  return {
    model: 'User',
    from: sql`users u`,
    fields: {
      username: { column: sql`u.username` },
      role: { column: sql`u.role` },
      active: { column: sql`u.active` },
      is_locked: { column: isLocked(lockout) },
      created_at: timeField(sql`u.created_at`),
      first_login_at: timeField(sql`u.first_login_at`),
      last_login_at: timeField(sql`u.last_login_at`),
      show_getting_started: { column: sql`u.show_getting_started` },
      group_system_roles: {
        column: sql`(select coalesce(json_object_agg(r.role, r.names order by r.role), '{}')
          from (select g.role, array_agg(g.name order by g.name) as names ${groups} group by g.role) r)`,
      },
      groups: {
        column: withData
          ? sql`(select coalesce(json_agg(g.name order by g.name), '[]') ${groups})`
          : sql`(select count(*) ${groups})`,
      },
      tenants: {
        column: withData
          ? sql`(select coalesce(json_object_agg(t.name,
                json_build_object('tenant-role', r.direct, 'roles', r.roles) order by t.name), '{}')
              from (select tenant_id, min(role) filter (where group_id is null) as direct,
                  array_agg(distinct role order by role) as roles
                from tenant_roles where user_id = u.id group by tenant_id) r
              join tenants t on t.id = r.tenant_id)`
          : sql`(select count(distinct tenant_id) from tenant_roles where user_id = u.id)`,
      },
      tenant_roles: {
        column: withData
          ? sql`json_build_object(
              'direct', (select coalesce(json_object_agg(t.name, m.role order by t.name), '{}') ${direct}),
              'groups', (select coalesce(json_object_agg(t.name, r.roles order by t.name), '{}') from (
                  select tenant_id, json_object_agg(role, names) as roles from (
                    select tr.tenant_id, tr.role, array_agg(g.name order by g.name) as names
                    from tenant_roles tr join user_groups g on g.id = tr.group_id
                    where tr.user_id = u.id group by tr.tenant_id, tr.role) by_role
                  group by tenant_id) r join tenants t on t.id = r.tenant_id))`
          : sql`null::json`,
      },
      password_hash: { column: withHash ? sql`u.password_hash` : sql`null::text` },
    },
    search: sql`u.username`,
    ...namedOnly,
    tieBreaker: sql`u.id`,
  }
}

/** The same as `isLocked` of the login. */
function isLocked({ maxFailedLogins, periodMinutes }: Lockout) {
  if (periodMinutes <= 0) return sql`false`
  return sql`coalesce(u.failed_logins > ${maxFailedLogins}
    and u.last_failed_login_at + ${periodMinutes} * interval '1 minute' > clock_timestamp(), false)`
}

export const userIdIs = (id: number) => sql`u.id = ${id}`
export const usernameIs = (name: string) => sql`lower(u.username) = ${name.toLowerCase()}`

export async function findUser(db: Database, username: string) {
  return db
    .selectFrom('users')
    .select([
      'id',
      'username',
      'role',
      'active',
      'failed_logins as failedLogins',
      'last_failed_login_at as lastFailedLoginAt',
    ])
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst()
}

/** Until the transaction ends, nobody else takes the role of an administrator away. */
export async function lockAdministrators(transaction: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tutti.administrators'))`.execute(transaction)
}

/** Those who may administer the manager and have a password here: others come and go with their directory. */
export async function countActiveAdministrators(transaction: Transaction): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from users u
    where u.active and u.password_hash is not null and (u.role = 'sys_admin' or exists (
      select from user_group_members m join user_groups g on g.id = m.group_id
      where m.user_id = u.id and g.role = 'sys_admin'))`.execute(transaction)
  return rows[0]?.count ?? 0
}

export async function deleteTokens(transaction: Transaction, userId: number): Promise<void> {
  await transaction.deleteFrom('tokens').where('user_id', '=', userId).execute()
}

/**
 * Held until the transaction ends, so that the user comes to nothing meanwhile (`holdUser` and foreign keys). False when
 * he has just gone.
 */
export async function lockUser(transaction: Transaction, id: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

export type UserChange = {
  readonly password_hash?: string
  readonly role?: string
  readonly show_getting_started?: boolean
  readonly active?: boolean
  readonly failed_logins?: 0
}

export async function updateUser(db: Database, id: number, change: UserChange): Promise<void> {
  await db.updateTable('users').set(change).where('id', '=', id).execute()
}

export type NewUser = {
  readonly username: string
  readonly password_hash: string
  readonly role: string
  readonly active: boolean
  readonly created_at?: string
  readonly first_login_at: string | null
  readonly last_login_at: string | null
}

/** False when there is one of that name already. */
export async function insertUser(db: Database, user: NewUser): Promise<boolean> {
  const row = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** What keeps a user from being deleted. */
export async function holdingsOf(
  transaction: Transaction,
  user: { readonly id: number; readonly username: string },
): Promise<readonly string[]> {
  const { rows } = await sql<{ noun: string }>`${sql.join(
    [
      sql`select 'tenants' as noun where exists (select from user_tenants where user_id = ${user.id})`,
      sql`select 'user groups' where exists (select from user_group_members where user_id = ${user.id})`,
      ...Object.entries(holdings).map(
        ([noun, table]) =>
          sql`select ${noun} where exists (select from ${sql.table(table)} where created_by = ${user.username})`,
      ),
      sql`select 'unfinished executions' where exists (select from executions
        where created_by = ${user.username} and status not in ('terminated', 'failed', 'cancelled'))`,
    ],
    sql` union all `,
  )}`.execute(transaction)
  return rows.map(({ noun }) => noun)
}

export async function deleteUser(transaction: Transaction, id: number): Promise<void> {
  await transaction.deleteFrom('users').where('id', '=', id).execute()
}
