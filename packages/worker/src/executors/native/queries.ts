import type { Database } from '@tutti/storage'

export async function readInstanceState(
  db: Database,
  tenantId: number,
  deploymentId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('node_instances')
    .select('state')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', deploymentId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.state
}
