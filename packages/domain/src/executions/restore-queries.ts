import { recorded, type Transaction, toJson, type Visibility } from '@tutti/storage'
import { sql } from 'kysely'

export type RecordedExecution = {
  readonly tenantId: number
  readonly id: string
  readonly workflowId: string
  readonly status: string
  readonly isUnfinished: boolean
  readonly error: string
  readonly deployment:
    | { readonly id: string; readonly display_name: string; readonly blueprint_id: string }
    | undefined
  readonly parameters: Readonly<Record<string, unknown>>
  readonly isSystemWorkflow: boolean
  readonly isDryRun: boolean
  readonly allowCustomParameters: boolean
  readonly force: boolean
  readonly visibility: Visibility
  readonly createdBy: string
  readonly createdAt: Date | undefined
  readonly startedAt: Date | undefined
  readonly endedAt: Date | 'now' | undefined
}

/** Without a job, and held by nobody who could lose it: no worker takes it, and nothing waits for it. False when the tenant has one of that id. */
export async function insertRecorded(
  transaction: Transaction,
  execution: RecordedExecution,
): Promise<boolean> {
  const { createdAt, endedAt } = execution
  const row = await transaction
    .insertInto('executions')
    .values({
      tenant_id: execution.tenantId,
      id: execution.id,
      workflow_id: execution.workflowId,
      status: execution.status,
      error: execution.error,
      deployment_id: execution.deployment?.id ?? null,
      deployment_display_name: execution.deployment?.display_name ?? null,
      blueprint_id: execution.deployment?.blueprint_id ?? null,
      parameters: toJson(execution.parameters),
      is_system_workflow: execution.isSystemWorkflow,
      is_dry_run: execution.isDryRun,
      allow_custom_parameters: execution.allowCustomParameters,
      force: execution.force,
      visibility: execution.visibility,
      created_by: execution.createdBy,
      ...(createdAt !== undefined && { created_at: createdAt }),
      started_at: execution.startedAt ?? null,
      lease_owner: execution.isUnfinished ? recorded : null,
      ended_at: endedAt === 'now' ? sql<Date>`clock_timestamp()` : (endedAt ?? null),
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** What a deployment says of its executions, with one that has been restored: which created it, and which came last. */
export async function setRestored(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
  executionId: string,
): Promise<void> {
  const time = (alias: string) =>
    sql`coalesce(${sql.ref(`${alias}.started_at`)}, ${sql.ref(`${alias}.created_at`)})`
  await sql`
    update deployments d set
      create_execution_id = case
        when e.workflow_id = 'create_deployment_environment' then e.id else d.create_execution_id end,
      latest_execution_id = case when exists (
        select from executions l where l.tenant_id = d.tenant_id and l.id = d.latest_execution_id
          and ${time('l')} > ${time('e')}) then d.latest_execution_id else e.id end
    from executions e
    where d.tenant_id = ${tenantId} and d.id = ${deploymentId} and e.tenant_id = d.tenant_id and e.id = ${executionId}`.execute(
    transaction,
  )
}
