import { type Kysely, sql } from 'kysely'

/**
 * `event_counts`: how many events there are, by what lists of them are mostly about. Counting the events of a page's
 * execution took twenty times as long as reading the page. Each statement that writes or deletes events appends what it
 * changed, so that nobody waits for anybody; `sumEventCounts` keeps the rows few. Events are never updated. Not audited:
 * the machine's own memory.
 *
 * `events_execution_stored`: the events of an execution in the order that a list has by itself.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [
    `create table event_counts (
      tenant_id int not null,
      execution_id text,
      deployment_id text,
      is_log boolean not null,
      visibility text not null,
      created_by text not null,
      count bigint not null,
      is_sum boolean not null default false
    )`,
    `create function count_events() returns trigger language plpgsql as $$
    begin
      insert into event_counts (tenant_id, execution_id, deployment_id, is_log, visibility, created_by, count)
      select tenant_id, execution_id, deployment_id, is_log, visibility, created_by,
        case tg_op when 'INSERT' then count(*) else - count(*) end
      from changed group by 1, 2, 3, 4, 5, 6;
      return null;
    end $$`,
    // From here on until the end, nobody else writes events.
    `create trigger count_inserted after insert on events referencing new table as changed
      for each statement execute function count_events()`,
    `create trigger count_deleted after delete on events referencing old table as changed
      for each statement execute function count_events()`,
    `insert into event_counts
      select tenant_id, execution_id, deployment_id, is_log, visibility, created_by, count(*), true
      from events group by 1, 2, 3, 4, 5, 6`,
    'create index event_counts_execution on event_counts (tenant_id, execution_id)',
    'create index event_counts_deployment on event_counts (tenant_id, deployment_id)',
    'create index event_counts_added on event_counts (tenant_id, execution_id) where not is_sum',
    'create index events_execution_stored on events (tenant_id, execution_id, timestamp, id)',
  ]) {
    await sql.raw(statement).execute(db)
  }
}
