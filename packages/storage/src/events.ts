import { hostname } from 'node:os'
import { sql } from 'kysely'
import { type Database, type Transaction, toJson } from './database.ts'
import type { ExecutionRow } from './executions/lease.ts'
import { inParts } from './parts.ts'
import { unawaitedIfOnly } from './sent-together.ts'

export type NewEvent = {
  readonly isLog: boolean
  readonly reportedAt: Date
  readonly eventType?: string | null
  readonly level?: string | null
  readonly logger?: string | null
  readonly message: string
  readonly nodeId?: string | null
  readonly nodeInstanceId?: string | null
  readonly sourceId?: string | null
  readonly targetId?: string | null
  readonly operation?: string | null
  readonly errorCauses?: readonly unknown[] | null
}

/** What is the same for all events of one execution. */
export type EventContext = {
  readonly tenantId: number
  readonly executionId: string | null
  /** On events of a group itself, which are about no single execution. */
  readonly executionGroupId?: string
  readonly workflowId: string | null
  readonly deploymentId: string | null
  readonly deploymentDisplayName: string | null
  readonly blueprintId: string | null
  readonly visibility: string
  readonly createdBy: string
  readonly managerName: string | null
  readonly agentName: string | null
}

/** Of the execution's events that this process reports. */
export function executionEvents(execution: ExecutionRow): EventContext {
  return {
    tenantId: execution.tenant_id,
    executionId: execution.id,
    workflowId: execution.workflow_id,
    deploymentId: execution.deployment_id,
    deploymentDisplayName: execution.deployment_display_name,
    blueprintId: execution.blueprint_id,
    visibility: execution.visibility,
    createdBy: execution.created_by,
    managerName: hostname(),
    agentName: null,
  }
}

/** Appends events of one execution in their order, as few statements whatever their number. */
export async function insertEvents(
  db: Database,
  context: EventContext,
  events: readonly NewEvent[],
): Promise<void> {
  for (const part of inParts(events)) {
    await sql`${insertion(context, part)} ${unawaitedIfOnly(part, events)}`.execute(db)
  }
}

function insertion(context: EventContext, events: readonly NewEvent[]) {
  const column = <T>(read: (event: NewEvent) => T) => events.map(read)
  const texts = (read: (event: NewEvent) => string | null | undefined) =>
    events.map((event) => withoutNul(read(event)))
  return sql`
    insert into events (
      tenant_id, execution_id, execution_group_id, workflow_id, deployment_id, deployment_display_name, blueprint_id,
      visibility, created_by, manager_name, agent_name, is_log, reported_timestamp, event_type, level, logger, message,
      node_id, node_instance_id, source_id, target_id, operation, error_causes)
    select ${context.tenantId}, ${context.executionId}, ${context.executionGroupId ?? null}, ${context.workflowId}, ${context.deploymentId},
      ${context.deploymentDisplayName}, ${context.blueprintId}, ${context.visibility}, ${context.createdBy},
      ${context.managerName}, ${context.agentName}, e.*
    from unnest(
      ${column((event) => event.isLog)}::boolean[],
      ${column((event) => event.reportedAt)}::timestamptz[],
      ${texts((event) => event.eventType)}::text[],
      ${texts((event) => event.level)}::text[],
      ${texts((event) => event.logger)}::text[],
      ${texts((event) => event.message)}::text[],
      ${column((event) => event.nodeId ?? null)}::text[],
      ${column((event) => event.nodeInstanceId ?? null)}::text[],
      ${texts((event) => event.sourceId)}::text[],
      ${texts((event) => event.targetId)}::text[],
      ${texts((event) => event.operation)}::text[],
      ${column((event) => (event.errorCauses == null ? null : toJson(event.errorCauses)))}::json[]
    ) as e`
}

/** PostgreSQL's text cannot hold NUL (docs/reference/events.md, "Fields"). */
function withoutNul(text: string | null | undefined): string | null {
  return text?.replaceAll('\0', '<NUL>') ?? null
}

/**
 * Whether the batch is new, and remembers it: false when it has been stored. While another transaction stores it, this
 * waits to learn whether it does.
 */
export async function claimEventBatch(
  transaction: Transaction,
  tenantId: number,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    insert into event_batches (tenant_id, id) values (${tenantId}, ${id}) on conflict do nothing
    returning id`.execute(transaction)
  return rows.length > 0
}

/** Forgets batches that nobody sends again; answers how many. */
export async function deleteOldEventBatches(
  db: Database,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from event_batches where (tenant_id, id) in (
      select tenant_id, id from event_batches
      where stored_at < clock_timestamp() - ${olderThanMs} * interval '1 millisecond'
      limit ${limit} for update skip locked)
    returning id`.execute(db)
  return rows.length
}

/**
 * Makes one row of what was appended to the counts of some executions (migrations/0130-event-counts.ts); answers how many
 * rows it took. Two that do it at once may leave two rows of the same, whose sum is right.
 */
export async function sumEventCounts(db: Database, executions: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with due as (
      select distinct tenant_id, execution_id from (
        select tenant_id, execution_id from event_counts where not is_sum limit ${executions}) added
    ), gone as (
      delete from event_counts where ctid = any(array(
        select c.ctid from due cross join lateral (
          select ctid from event_counts
          where tenant_id = due.tenant_id and execution_id = due.execution_id
          union all
          select ctid from event_counts
          where due.execution_id is null and tenant_id = due.tenant_id and execution_id is null) c))
      returning *
    ), kept as (
      insert into event_counts
      select tenant_id, execution_id, deployment_id, is_log, visibility, created_by, sum(count), true
      from gone group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0
    )
    select count(*) as taken from gone`.execute(db)
  return rows[0]?.taken ?? 0
}
