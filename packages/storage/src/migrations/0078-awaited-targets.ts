import { type Kysely, sql } from 'kysely'
import { auditTable, tenantName } from '../audit/audit-table.ts'

/**
 * `awaited_target_id`: what a dependency is to point at as soon as there is a deployment of that id. What pointed at
 * deployments that were deleted since waits for them too.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await auditTable(db, 'inter_deployment_dependencies', {
    identifier: { tenant: tenantName, id: 'id' },
    creator: 'created_by',
  })
}

const statements = [
  'alter table inter_deployment_dependencies add column awaited_target_id text',
  `create index idd_awaited on inter_deployment_dependencies (tenant_id, awaited_target_id)
    where awaited_target_id is not null`,
  `update inter_deployment_dependencies p set awaited_target_id = target_deployment_id, target_deployment_id = null
    where target_deployment_id is not null and not exists (
      select from deployments d where d.tenant_id = p.tenant_id and d.id = p.target_deployment_id)`,
]
