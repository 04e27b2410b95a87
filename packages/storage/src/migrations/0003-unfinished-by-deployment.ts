import { type Kysely, sql } from 'kysely'

/**
 * The index of unfinished executions no longer holds `lease_expires_at`: every renewal of a lease had left a dead entry
 * in it, and with the few entries that it has, no order helps. By deployment it also answers what runs on one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index executions_unfinished`.execute(db)
  await sql`
    create index executions_unfinished on executions (tenant_id, deployment_id)
    where status not in ('terminated', 'failed', 'cancelled')`.execute(db)
}
