import { type Kysely, sql } from 'kysely'

/** Whoever empties `events` by hand, as it is the quickest way to make room, empties what was counted of them as well. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [
    `create function forget_event_counts() returns trigger language plpgsql as $$
    begin
      truncate event_counts;
      return null;
    end $$`,
    `create trigger forget_counts after truncate on events
      for each statement execute function forget_event_counts()`,
  ]) {
    await sql.raw(statement).execute(db)
  }
}
