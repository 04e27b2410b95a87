import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** An event or a log line of an execution, as its sender knows it (spec/workflows.md 8). */
export type NewEvent = {
  readonly isLog: boolean
  readonly message: string
  /** When it happened where it was sent from; now when left out. */
  readonly reportedAt?: Date | undefined
  /** When a manager stored it first; only restores give it. */
  readonly storedAt?: Date | undefined
  /** Of events only. */
  readonly eventType?: string | undefined
  /** Of logs only. */
  readonly level?: string | undefined
  readonly logger?: string | undefined
  readonly operation?: string | null | undefined
  readonly nodeInstanceId?: string | null | undefined
  /** Node instances of a relationship operation. */
  readonly sourceId?: string | null | undefined
  readonly targetId?: string | null | undefined
  /** List of `{message, type, traceback}`. */
  readonly errorCauses?: unknown
}

export type EventSender = { readonly managerName?: string | null; readonly agentName?: string | null }

/**
 * Appends events of one execution, in their order, by one statement: this is the hot path of running operations.
 * What the execution and the node instance know (deployment, blueprint, workflow, node) is looked up in it.
 * Returns how many were written: none when there is no such execution.
 */
export async function insertEvents(
  db: Database,
  execution: { readonly tenantId: number; readonly executionId: string },
  events: readonly NewEvent[],
  sender: EventSender = {},
): Promise<number> {
  if (events.length === 0) return 0
  const texts = (value: (event: NewEvent) => string | null | undefined) =>
    sql`${events.map((event) => storable(value(event)))}::text[]`
  const times = (value: (event: NewEvent) => Date | undefined) =>
    sql`${events.map((event) => value(event) ?? null)}::timestamptz[]`
  const { numAffectedRows } = await sql`
    insert into events (
      tenant_id, execution_id, workflow_id, deployment_id, deployment_display_name, blueprint_id, visibility, created_by,
      is_log, timestamp, reported_timestamp, event_type, level, logger, message, operation,
      node_id, node_instance_id, source_id, target_id, error_causes, manager_name, agent_name)
    select
      e.tenant_id, e.id, e.workflow_id, e.deployment_id, e.deployment_display_name, e.blueprint_id, e.visibility, e.created_by,
      n.is_log, coalesce(n.stored_at, clock_timestamp()), coalesce(n.reported_at, clock_timestamp()),
      n.event_type, n.level, n.logger, n.message, n.operation,
      i.node_id, i.id, n.source_id, n.target_id, n.error_causes::json,
      ${storable(sender.managerName)}, ${storable(sender.agentName)}
    from executions e
    cross join unnest(
      ${events.map((event) => event.isLog)}::boolean[],
      ${times((event) => event.storedAt)}, ${times((event) => event.reportedAt)},
      ${texts((event) => event.eventType)}, ${texts((event) => event.level)}, ${texts((event) => event.logger)},
      ${texts((event) => event.message)}, ${texts((event) => event.operation)},
      ${texts((event) => event.nodeInstanceId)}, ${texts((event) => event.sourceId)}, ${texts((event) => event.targetId)},
      ${texts((event) => (event.errorCauses == null ? null : JSON.stringify(event.errorCauses)))}
    ) with ordinality as n (
      is_log, stored_at, reported_at, event_type, level, logger, message, operation,
      node_instance_id, source_id, target_id, error_causes, position)
    left join node_instances i on i.tenant_id = e.tenant_id and i.id = n.node_instance_id
    where e.tenant_id = ${execution.tenantId} and e.id = ${execution.executionId}
    order by n.position`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** PostgreSQL's text holds no NUL: output of programs that has some is stored with `<NUL>` in their place. */
function storable(text: string | null | undefined): string | null {
  return text?.replaceAll('\0', '<NUL>') ?? null
}
