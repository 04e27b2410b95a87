import { systemFilters } from '@tutti/api'
import { type Database, type Transaction, toJson } from '@tutti/storage'
import { sql } from 'kysely'
import { bootstrapAdmin, defaultTenant } from '../first.ts'

export async function adminExists(db: Database): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').where('id', '=', bootstrapAdmin.id).executeTakeFirst()
  return row !== undefined
}

/** One manager at a time, until the transaction ends: several may start at once on one database. */
export async function lockBootstrap(transaction: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tutti.bootstrap'))`.execute(transaction)
}

export async function insertTenantAndAdmin(transaction: Transaction, passwordHash: string): Promise<void> {
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

/** At each start, as another release may have others. */
export async function writeSystemFilters(transaction: Transaction): Promise<void> {
  for (const [id, rules] of Object.entries(systemFilters)) {
    await transaction
      .insertInto('deployment_filters')
      .values({
        tenant_id: defaultTenant.id,
        id,
        value: toJson(rules),
        is_system_filter: true,
        visibility: 'global',
        created_by: bootstrapAdmin.username,
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doUpdateSet({ value: toJson(rules) }))
      .execute()
  }
}
