import { type Database, type ListedResource, namedOnly } from '@tutti/storage'
import { sql } from 'kysely'

const members = sql`from user_group_members m join users u on u.id = m.user_id where m.group_id = g.id`
const tenants = sql`from tenant_groups tg join tenants t on t.id = tg.tenant_id where tg.group_id = g.id`

/** docs/reference/access.md, "User groups". `withData`: tenants and users themselves instead of their number. */
export function userGroupResource(withData: boolean): ListedResource {
  return {
    model: 'Group',
    from: sql`user_groups g`,
    fields: {
      name: { column: sql`g.name` },
      ldap_dn: { column: sql`g.ldap_dn` },
      role: { column: sql`g.role` },
      tenants: {
        column: withData
          ? sql`(select coalesce(json_object_agg(t.name, tg.role order by t.name), '{}') ${tenants})`
          : sql`(select count(*) ${tenants})`,
      },
      users: {
        column: withData
          ? sql`array(select u.username ${members} order by u.username)`
          : sql`(select count(*) ${members})`,
      },
    },
    search: sql`g.name`,
    ...namedOnly,
    tieBreaker: sql`g.id`,
  }
}

export const groupNameIs = (name: string) => sql`lower(g.name) = ${name.toLowerCase()}`

export async function findGroup(db: Database, name: string) {
  return db
    .selectFrom('user_groups')
    .select(['id', 'name'])
    .where(sql`lower(name)`, '=', name.toLowerCase())
    .executeTakeFirst()
}

/** False when its name or its LDAP group is taken. */
export async function insertGroup(
  db: Database,
  group: { readonly name: string; readonly ldap_dn: string | null; readonly role: string },
): Promise<boolean> {
  const row = await db
    .insertInto('user_groups')
    .values(group)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function updateGroupRole(db: Database, id: number, role: string): Promise<void> {
  await db.updateTable('user_groups').set({ role }).where('id', '=', id).execute()
}

/** False while it has users or tenants. */
export async function deleteGroup(db: Database, id: number): Promise<boolean> {
  const { rows } = await sql`
    delete from user_groups g where id = ${id}
      and not exists (select from user_group_members where group_id = g.id)
      and not exists (select from tenant_groups where group_id = g.id)
    returning id`.execute(db)
  return rows.length === 1
}

/** False when the user is in the group already. */
export async function insertGroupUser(db: Database, groupId: number, userId: number): Promise<boolean> {
  const row = await db
    .insertInto('user_group_members')
    .values({ group_id: groupId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** False when the user is not in the group. */
export async function deleteGroupUser(db: Database, groupId: number, userId: number): Promise<boolean> {
  const row = await db
    .deleteFrom('user_group_members')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}
