import { activeStatuses, defaultPermissions, type PermissionTable } from '@tutti/api'
import { type Database, tenantsWithGlobals } from '@tutti/storage'
import { sql } from 'kysely'

/** A user with the system roles of their groups, and the roles by tenant id, direct ones and those of groups. */
export async function loadUser(db: Database, username: string) {
  const { rows } = await sql<{
    id: number
    username: string
    role: string
    active: boolean
    passwordHash: string | null
    failedLogins: number
    lastFailedLoginAt: Date | null
    groupRoles: string[]
    tenantRoles: Readonly<Record<string, string[]>>
  }>`
    select u.id, u.username, u.role, u.active, u.password_hash as "passwordHash",
      u.failed_logins as "failedLogins", u.last_failed_login_at as "lastFailedLoginAt",
      array(select distinct g.role from user_groups g join user_group_members m on m.group_id = g.id
        where m.user_id = u.id) as "groupRoles",
      coalesce((select json_object_agg(r.tenant_id, r.roles) from (
          select tenant_id, array_agg(distinct role) as roles from tenant_roles where user_id = u.id group by tenant_id
        ) r), '{}'::json) as "tenantRoles"
    from users u where lower(u.username) = ${username.toLowerCase()}`.execute(db)
  return rows[0]
}

export async function loadToken(db: Database, id: string) {
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([
      'users.username',
      'tokens.secret_hash as secretHash',
      'tokens.expiration_date as expirationDate',
    ])
    .where('tokens.id', '=', id)
    .executeTakeFirst()
}

/** Every tenant by its name, and those whose global resources are to be seen everywhere. */
export async function loadTenants(db: Database) {
  const [tenants, globalTenantIds] = await Promise.all([
    db.selectFrom('tenants').select(['id', 'name']).orderBy('name').execute(),
    tenantsWithGlobals(db),
  ])
  return { byName: new Map(tenants.map((tenant) => [tenant.name, tenant])), globalTenantIds }
}

/** The matrix of this release with what administrators changed in it. */
export async function loadPermissions(db: Database): Promise<PermissionTable> {
  const edits = await db.selectFrom('role_permissions').selectAll().orderBy('role').execute()
  // Without a prototype: permissions may be called anything.
  const table: Record<string, readonly string[]> = Object.assign(Object.create(null), defaultPermissions)
  for (const { permission, role, is_granted: isGranted } of edits) {
    const others = (table[permission] ?? []).filter((one) => one !== role)
    table[permission] = isGranted ? [...others, role] : others
  }
  return table
}

/**
 * The execution that the token was made for, while it may act (docs/reference/access.md, "Execution tokens"): its
 * operations go on to their end after it was cancelled, and a scheduled one may begin a minute early.
 */
export async function findExecutionOfToken(db: Database, tokenHash: string) {
  return db
    .selectFrom('executions as e')
    .select([
      'e.id',
      'e.tenant_id as tenantId',
      'e.status',
      'e.is_system_workflow as isSystemWorkflow',
      'e.created_by as createdBy',
    ])
    .where('e.token_hash', '=', tokenHash)
    .where((is) =>
      is.or([
        is('e.status', 'in', activeStatuses),
        sql<boolean>`(e.status = 'scheduled' and e.scheduled_for <= clock_timestamp() + interval '60 seconds')`,
        sql<boolean>`(e.status = 'cancelled' and exists (
          select from tasks_graphs g join operations o on o.tenant_id = g.tenant_id and o.tasks_graph_id = g.id
          where g.tenant_id = e.tenant_id and g.execution_id = e.id and o.type = 'RemoteWorkflowTask' and o.state in ('sending', 'sent', 'started')))`,
      ]),
    )
    .executeTakeFirst()
}

export async function recordLogin(db: Database, userId: number): Promise<void> {
  await sql`
    update users set last_login_at = clock_timestamp(), failed_logins = 0,
      first_login_at = coalesce(first_login_at, clock_timestamp())
    where id = ${userId}`.execute(db)
}

export async function recordFailedLogin(db: Database, userId: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ failed_logins: sql`failed_logins + 1`, last_failed_login_at: sql`clock_timestamp()` })
    .where('id', '=', userId)
    .execute()
}

export async function recordTokenUse(db: Database, tokenId: string): Promise<void> {
  await sql`
    update tokens set last_used = clock_timestamp()
    where id = ${tokenId} and (last_used is null or last_used < clock_timestamp() - interval '1 minute')
  `.execute(db)
}
