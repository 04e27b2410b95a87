import type { LdapSettings } from '@tutti/api'
import { type Database, type Transaction, toJson } from '@tutti/storage'
import { sql } from 'kysely'
import { bootstrapAdmin } from '../../first.ts'
import { dnKey } from './dn.ts'
import type { Person } from './find-person.ts'

/** The settings as `POST /ldap` got them, the password sealed; undefined: LDAP is off. */
export async function loadLdap(db: Database) {
  const row = await db
    .selectFrom('ldap')
    .select(['settings', 'sealed_password as sealedPassword', 'updated_at as updatedAt'])
    .executeTakeFirst()
  return row === undefined ? undefined : { ...row, settings: row.settings as LdapSettings }
}

export async function writeLdap(
  db: Database,
  settings: LdapSettings,
  sealedPassword: string | null,
): Promise<void> {
  const row = { settings: toJson(settings), sealed_password: sealedPassword }
  await db
    .insertInto('ldap')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('is_only').doUpdateSet({ ...row, updated_at: sql`clock_timestamp()` }),
    )
    .execute()
}

export async function deleteLdap(db: Database): Promise<void> {
  await db.deleteFrom('ldap').execute()
}

/** What the login may look at before it lets a user in. */
export type StoredUser = {
  readonly id: number
  readonly username: string
  readonly active: boolean
  readonly failedLogins: number
  readonly lastFailedLoginAt: Date | null
}

/**
 * Makes the user, or brings them up to date: names, e-mail, and membership in exactly the groups that the directory has
 * them in. All of it or nothing. Undefined, and nothing changed, for who may not come in.
 */
export async function storePerson(
  db: Database,
  person: Person,
  mayEnter: (user: StoredUser) => boolean,
): Promise<{ readonly username: string; readonly isChanged: boolean } | undefined> {
  const names = {
    first_name: person.firstName ?? null,
    last_name: person.lastName ?? null,
    email: person.email ?? null,
  }
  return db.transaction().execute(async (transaction) => {
    const created = await transaction
      .insertInto('users')
      .values({ username: person.username, ...names })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    const user = await transaction
      .selectFrom('users')
      .select([
        'id',
        'username',
        'active',
        'failed_logins as failedLogins',
        'last_failed_login_at as lastFailedLoginAt',
      ])
      .where(sql`lower(username)`, '=', person.username.toLowerCase())
      .forUpdate()
      .executeTakeFirst()
    // The first administrator is this manager's own, whoever has that name in the directory.
    if (user === undefined || user.id === bootstrapAdmin.id || !mayEnter(user)) return undefined
    // Left as they are; whoever asks finds them deactivated.
    if (!user.active) return { username: user.username, isChanged: false }
    await transaction
      .updateTable('users')
      .set(names)
      .where('id', '=', user.id)
      .where(sql<boolean>`(first_name, last_name, email) is distinct from
        (${names.first_name}, ${names.last_name}, ${names.email})`)
      .execute()
    const areGroupsChanged = await setGroups(transaction, user.id, person.groupDns)
    return { username: user.username, isChanged: created !== undefined || areGroupsChanged }
  })
}

/** Whether membership changed. */
async function setGroups(
  transaction: Transaction,
  userId: number,
  groupDns: readonly string[],
): Promise<boolean> {
  const keys = new Set(groupDns.map(dnKey))
  const groups = await transaction
    .selectFrom('user_groups')
    .select(['id', 'ldap_dn as ldapDn'])
    .where('ldap_dn', 'is not', null)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const ids = groups.filter(({ ldapDn }) => keys.has(dnKey(ldapDn ?? ''))).map(({ id }) => id)
  const { rows: gone } = await sql`delete from user_group_members
    where user_id = ${userId} and group_id <> all(${ids}::int[]) returning group_id`.execute(transaction)
  const { rows: added } = await sql`insert into user_group_members (user_id, group_id)
    select ${userId}, unnest(${ids}::int[]) on conflict do nothing returning group_id`.execute(transaction)
  return gone.length + added.length > 0
}
