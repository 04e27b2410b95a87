import type { Database } from '@tutti/storage'

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
