import type { Database } from '@tutti/storage'
import { sql } from 'kysely'
import { bootstrapAdmin, defaultTenant } from './first.ts'

export async function adminExists(db: Database): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').where('id', '=', bootstrapAdmin.id).executeTakeFirst()
  return row !== undefined
}

/** One manager at a time, until the transaction ends: several may start at once on one database. */
export async function lockBootstrap(transaction: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tutti.bootstrap'))`.execute(transaction)
}

export async function insertTenantAndAdmin(transaction: Database, passwordHash: string): Promise<void> {
  await transaction
    .insertInto('tenants')
    .values(defaultTenant)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await transaction
    .insertInto('users')
    .values({ ...bootstrapAdmin, role: 'sys_admin', password_hash: passwordHash })
    .execute()
  await transaction
    .insertInto('user_tenants')
    .values({ tenant_id: defaultTenant.id, user_id: bootstrapAdmin.id, role: 'user' })
    .execute()
}
