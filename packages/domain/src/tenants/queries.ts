import { type Database, holdings, type ListedResource, namedOnly, type Transaction } from '@tutti/storage'
import { sql } from 'kysely'

const direct = sql`from user_tenants m join users u on u.id = m.user_id where m.tenant_id = t.id`
const groups = sql`from tenant_groups tg join user_groups g on g.id = tg.group_id where tg.tenant_id = t.id`

/** docs/reference/access.md, "Tenants". `withData`: the members themselves instead of their number. */
export function tenantResource(withData: boolean): ListedResource {
  return {
    model: 'Tenant',
    from: sql`tenants t`,
    fields: {
      name: { column: sql`t.name` },
      groups: {
        column: withData
          ? sql`(select coalesce(json_object_agg(g.name, tg.role order by g.name), '{}') ${groups})`
          : sql`(select count(*) ${groups})`,
      },
      users: {
        column: withData
          ? sql`(select coalesce(json_object_agg(u.username,
                json_build_object('tenant-role', r.direct, 'roles', r.roles) order by u.username), '{}')
              from (select user_id, min(role) filter (where group_id is null) as direct,
                  array_agg(distinct role order by role) as roles
                from tenant_roles where tenant_id = t.id group by user_id) r
              join users u on u.id = r.user_id)`
          : sql`(select count(distinct user_id) from tenant_roles where tenant_id = t.id)`,
      },
      user_roles: {
        column: withData
          ? sql`json_build_object(
              'direct', (select coalesce(json_object_agg(u.username, m.role order by u.username), '{}') ${direct}),
              'groups', (select coalesce(json_object_agg(g.name, json_build_object('role', tg.role, 'users', array(
                  select u.username from user_group_members gm join users u on u.id = gm.user_id
                  where gm.group_id = g.id order by u.username)) order by g.name), '{}') ${groups}))`
          : sql`null::json`,
      },
      // There is no broker that a tenant would have credentials for.
      rabbitmq_username: { column: sql`null::text` },
      rabbitmq_password: { column: sql`null::text` },
      rabbitmq_vhost: { column: sql`null::text` },
    },
    idField: 'name',
    search: sql`t.name`,
    // Which are seen is a condition of the service's.
    ...namedOnly,
    tieBreaker: sql`t.id`,
  }
}

export const isOneOf = (ids: readonly number[]) => sql`t.id = any(${[...ids]}::int[])`

/** False when there is one of that name already. */
export async function insertTenant(db: Database, name: string): Promise<boolean> {
  const row = await db
    .insertInto('tenants')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Held until the transaction ends, so that nothing comes into the tenant meanwhile. False when it has just gone. */
export async function lockTenant(transaction: Transaction, id: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('tenants')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** What keeps a tenant from being deleted, by the word for it. Histories go with it. */
const contents = { users: 'user_tenants', 'user groups': 'tenant_groups', ...holdings } as const

export async function contentsOf(transaction: Transaction, tenantId: number): Promise<readonly string[]> {
  const found = Object.entries(contents).map(
    ([noun, table]) =>
      sql`select ${noun} as noun where exists (select from ${sql.table(table)} where tenant_id = ${tenantId})`,
  )
  const unfinished = sql`
    select 'unfinished executions' as noun where exists (select from executions
      where tenant_id = ${tenantId} and status not in ('terminated', 'failed', 'cancelled'))`
  const { rows } = await sql<{ noun: string }>`${sql.join([...found, unfinished], sql` union all `)}`.execute(
    transaction,
  )
  return rows.map(({ noun }) => noun)
}

export async function deleteTenant(transaction: Transaction, tenantId: number): Promise<void> {
  for (const table of ['events', 'executions', 'execution_groups'] as const) {
    await transaction.deleteFrom(table).where('tenant_id', '=', tenantId).execute()
  }
  await transaction.deleteFrom('tenants').where('id', '=', tenantId).execute()
}

/** Who gets a role in a tenant: a user, or a user group. */
export type Member = { readonly kind: 'user' | 'group'; readonly id: number }

const membership = {
  user: { table: 'user_tenants', column: 'user_id' },
  group: { table: 'tenant_groups', column: 'group_id' },
} as const

/** False when the member is there already. */
export async function insertMember(db: Database, tenantId: number, { kind, id }: Member, role: string) {
  const { table, column } = membership[kind]
  const { rows } = await sql`
    insert into ${sql.table(table)} (tenant_id, ${sql.ref(column)}, role) values (${tenantId}, ${id}, ${role})
    on conflict do nothing returning role`.execute(db)
  return rows.length === 1
}

/** False when the member is not there. */
export async function updateMember(db: Database, tenantId: number, { kind, id }: Member, role: string) {
  const { table, column } = membership[kind]
  const { rows } = await sql`
    update ${sql.table(table)} set role = ${role}
    where tenant_id = ${tenantId} and ${sql.ref(column)} = ${id} returning role`.execute(db)
  return rows.length === 1
}

/** False when the member is not there. */
export async function deleteMember(db: Database, tenantId: number, { kind, id }: Member) {
  const { table, column } = membership[kind]
  const { rows } = await sql`
    delete from ${sql.table(table)}
    where tenant_id = ${tenantId} and ${sql.ref(column)} = ${id} returning role`.execute(db)
  return rows.length === 1
}
