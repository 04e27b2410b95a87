import { type Kysely, sql } from 'kysely'

/** One row while maintenance mode is on or about to be, none otherwise. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table maintenance (
      id text primary key default 'MAINTENANCE' check (id = 'MAINTENANCE'),
      requested_by text not null,
      activation_requested_at timestamptz not null default clock_timestamp(),
      activated_at timestamptz
    )`.execute(db)
}
