import { activeStatuses, type Database } from '@tutti/storage'
import { sql } from 'kysely'

export type UserRow = {
  readonly id: number
  readonly username: string
  readonly role: string
  readonly active: boolean
  readonly passwordHash: string | null
  readonly lastLoginAt: Date | null
  readonly failedLogins: number
}

const userColumns = [
  'users.id',
  'users.username',
  'users.role',
  'users.active',
  'users.password_hash as passwordHash',
  'users.last_login_at as lastLoginAt',
  'users.failed_logins as failedLogins',
] as const

export async function findUserByName(db: Database, username: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .select(userColumns)
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst()
}

/** The creator of the execution that the token was made for, while that execution may act. */
export async function findUserOfExecution(db: Database, tokenHash: string) {
  return db
    .selectFrom('executions')
    .innerJoin('users', 'users.username', 'executions.created_by')
    .select([
      ...userColumns,
      'executions.id as executionId',
      'executions.tenant_id as tenantId',
      'executions.status',
    ])
    .where('executions.token_hash', '=', tokenHash)
    .where('executions.status', 'in', activeStatuses)
    .executeTakeFirst()
}

export async function findUserOfToken(db: Database, tokenId: string) {
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([...userColumns, 'tokens.secret_hash as secretHash', 'tokens.expiration_date as expiresAt'])
    .where('tokens.id', '=', tokenId)
    .executeTakeFirst()
}

const globalTenantIds = sql<number[]>`array(
  select tenant_id from blueprints where visibility = 'global'
  union select tenant_id from deployments where visibility = 'global'
  union select tenant_id from sites where visibility = 'global'
  union select tenant_id from secrets where visibility = 'global'
  union select tenant_id from secrets_providers where visibility = 'global')`

/**
 * The tenant of that name, the role that the user has in it, if any, and the tenants whose global resources are to be
 * seen in it. Small indexes know the global ones; nodes and node instances are as their deployment is.
 */
export async function findTenantFor(db: Database, userId: number, tenantName: string) {
  return db
    .selectFrom('tenants')
    .leftJoin('user_tenants', (join) =>
      join.onRef('user_tenants.tenant_id', '=', 'tenants.id').on('user_tenants.user_id', '=', userId),
    )
    .select(['tenants.id', 'tenants.name', 'user_tenants.role', globalTenantIds.as('globalTenantIds')])
    .where('tenants.name', '=', tenantName)
    .executeTakeFirst()
}

/** How exact `last_login_at` is: a write for every request would cost more than the request. */
const loginMs = 60_000

export async function recordLogin(db: Database, user: UserRow, now: Date): Promise<void> {
  const { id, lastLoginAt, failedLogins } = user
  if (failedLogins === 0 && lastLoginAt !== null && now.getTime() - lastLoginAt.getTime() < loginMs) return
  await sql`
    update users set last_login_at = clock_timestamp(), failed_logins = 0,
      first_login_at = coalesce(first_login_at, clock_timestamp())
    where id = ${id}`.execute(db)
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
