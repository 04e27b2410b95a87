import { type Kysely, sql } from 'kysely'

/**
 * `event_batches`: which batches of events are stored, so that one that is sent again is not stored again. Not audited:
 * the machine's own memory. And an index of what is held under a lease, few rows whatever the history.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table event_batches (
      tenant_id int not null references tenants on delete cascade,
      id text not null,
      stored_at timestamptz not null default clock_timestamp(),
      primary key (tenant_id, id)
    )`.execute(db)
  await sql`create index event_batches_stored on event_batches (stored_at)`.execute(db)
  await sql`create index executions_held on executions (lease_owner) where lease_owner is not null`.execute(
    db,
  )
}
