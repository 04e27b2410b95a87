import { type Kysely, sql } from 'kysely'

/**
 * The request that started an execution, as its log lines name it: the database knows who asks in each transaction
 * (audit/caller.ts), so nobody who inserts an execution needs to say it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table executions add column request_id text`.execute(db)
  await sql`alter table executions alter column request_id
    set default nullif(current_setting('tutti.caller', true), '')::json ->> 'request_id'`.execute(db)
}
