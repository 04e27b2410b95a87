import { type Kysely, sql } from 'kysely'
import { auditTable, tenantName } from '../audit/audit-table.ts'

/** `plan_parts`: what the nodes of a large plan have in common stands there once; null where the plan is written out. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table blueprints add column plan_parts text`.execute(db)
  await auditTable(db, 'blueprints', {
    identifier: { tenant: tenantName, id: 'id' },
    creator: 'created_by',
    byRequestOnly: ['state', 'archive_sha256', 'archive_extension', 'upload_execution_id', 'updated_at'],
  })
}
