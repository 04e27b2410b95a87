import { type Kysely, sql } from 'kysely'

/** `phase`: how far an execution has come in the phases of its workflow (engine/src/run-phases.ts). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table executions add column phase json`.execute(db)
}
