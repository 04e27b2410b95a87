import { type Kysely, sql } from 'kysely'

/** Settings that somebody has set; those of all others are data of `packages/api`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table config (
      scope text not null,
      name text not null,
      value json not null,
      updated_at timestamptz not null default clock_timestamp(),
      updater_name text not null,
      primary key (scope, name)
    )`.execute(db)
}
