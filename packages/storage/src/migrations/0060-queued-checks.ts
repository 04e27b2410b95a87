import { type Kysely, sql } from 'kysely'

/**
 * `checks_at_start`: the execution was queued, so whoever starts it looks again at whether it may still run, with these
 * parameters (docs/reference/executions.md, "Dequeue").
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table executions add column checks_at_start boolean not null default false`.execute(db)
}
