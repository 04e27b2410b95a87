import { type Kysely, sql } from 'kysely'

/** The license that was uploaded last; one at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table license (
      id text primary key default 'LICENSE' check (id = 'LICENSE'),
      customer_id text not null,
      expiration_date timestamptz,
      license_edition text,
      trial boolean not null,
      cloudify_version text,
      capabilities json not null default '[]'
    )`.execute(db)
}
