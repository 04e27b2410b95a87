import type { Queue, Transaction, Visibility } from '@tutti/storage'
import { pickUpMs, toJson } from '@tutti/storage'
import { sql } from 'kysely'

export type NewExecution = {
  readonly tenantId: number
  readonly id: string
  readonly workflowId: string
  readonly status: 'pending' | 'queued' | 'failed'
  readonly error?: string
  readonly deployment?: {
    readonly id: string
    readonly displayName: string
    readonly blueprintId: string
  }
  /** Which must be there already. */
  readonly executionGroupId?: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly isSystemWorkflow?: boolean
  readonly isDryRun?: boolean
  readonly allowCustomParameters?: boolean
  readonly force?: boolean
  /** seconds */
  readonly waitAfterFail?: number
  readonly visibility?: Visibility
  readonly createdBy: string
  /** Now, unless it is said otherwise. */
  readonly createdAt?: Date | undefined
}

export const insertExecution = (
  transaction: Transaction,
  queue: Queue,
  execution: NewExecution,
): Promise<void> => insertExecutions(transaction, queue, [execution])

/**
 * Writes executions in their order, and the jobs of those that may start at once, in the caller's transaction: a few
 * statements, whatever their number.
 */
export async function insertExecutions(
  transaction: Transaction,
  queue: Queue,
  executions: readonly NewExecution[],
): Promise<void> {
  if (executions.length === 0) return
  const column = <T>(read: (execution: NewExecution) => T) => executions.map(read)
  await sql`
    insert into executions (tenant_id, id, workflow_id, status, error, deployment_id, deployment_display_name,
      blueprint_id, execution_group_id, parameters, is_system_workflow, is_dry_run, allow_custom_parameters, force,
      wait_after_fail, visibility, created_by, created_at, lease_expires_at, ended_at, checks_at_start)
    select e.tenant_id, e.id, e.workflow_id, e.status, e.error, e.deployment_id, e.display_name, e.blueprint_id,
      e.group_id, e.parameters, e.is_system, e.is_dry_run, e.allows_custom, e.force, e.wait_after_fail, e.visibility,
      e.created_by, coalesce(e.created_at, clock_timestamp()),
      case when e.status = 'pending' then clock_timestamp() + ${pickUpMs} * interval '1 millisecond' end,
      case when e.status = 'failed' then clock_timestamp() end,
      e.status = 'queued'
    from unnest(
      ${column((one) => one.tenantId)}::int[],
      ${column((one) => one.id)}::text[],
      ${column((one) => one.workflowId)}::text[],
      ${column((one) => one.status)}::text[],
      ${column((one) => one.error ?? '')}::text[],
      ${column((one) => one.deployment?.id ?? null)}::text[],
      ${column((one) => one.deployment?.displayName ?? null)}::text[],
      ${column((one) => one.deployment?.blueprintId ?? null)}::text[],
      ${column((one) => one.executionGroupId ?? null)}::text[],
      ${column((one) => toJson(one.parameters))}::json[],
      ${column((one) => one.isSystemWorkflow ?? false)}::boolean[],
      ${column((one) => one.isDryRun ?? false)}::boolean[],
      ${column((one) => one.allowCustomParameters ?? false)}::boolean[],
      ${column((one) => one.force ?? false)}::boolean[],
      ${column((one) => one.waitAfterFail ?? 600)}::int[],
      ${column((one) => one.visibility ?? 'tenant')}::text[],
      ${column((one) => one.createdBy)}::text[],
      ${column((one) => one.createdAt ?? null)}::timestamptz[]
    ) as e (tenant_id, id, workflow_id, status, error, deployment_id, display_name, blueprint_id, group_id, parameters,
      is_system, is_dry_run, allows_custom, force, wait_after_fail, visibility, created_by, created_at)`.execute(
    transaction,
  )
  const starting = executions.filter(({ status }) => status === 'pending')
  await queue.enqueue(
    transaction,
    starting.map(({ tenantId, id }) => ({ tenantId, executionId: id })),
  )
}
