import { type Kysely, sql } from 'kysely'

/**
 * `step`: how many steps of its graphs an execution has stored. A worker whose connection broke while it committed
 * learns from it whether the commit took place (worker/src/executions/queries.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table executions add column step bigint not null default 0`.execute(db)
}
