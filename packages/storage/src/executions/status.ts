import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { notify } from '../notifications.ts'
import { activeStatuses, type ExecutionRow } from './lease.ts'

export const endStatuses = ['terminated', 'failed', 'cancelled'] as const

export function isEnded(status: string): boolean {
  return (endStatuses as readonly string[]).includes(status)
}

/**
 * Writes an execution's status and what follows from it: times, the deployment's computed statuses, and on an end
 * status the news for whoever waits. Whether the transition is allowed is the caller's decision, taken under the
 * row's lock. spec/workflows.md 1.1, spec/rest-facts-a.md 9.
 */
export async function setExecutionStatus(
  transaction: Database,
  key: { readonly tenantId: number; readonly executionId: string },
  change: { readonly status: string; readonly error?: string },
): Promise<void> {
  const ended = isEnded(change.status)
  const row = await transaction
    .updateTable('executions')
    .set({
      status: change.status,
      error: change.error ?? '',
      ...(change.status === 'started' && { started_at: sql`coalesce(started_at, clock_timestamp())` }),
      ...(ended && { ended_at: sql`clock_timestamp()`, lease_owner: null, lease_expires_at: null }),
    })
    .where('tenant_id', '=', key.tenantId)
    .where('id', '=', key.executionId)
    .returning(['tenant_id', 'id', 'deployment_id', 'status'])
    .executeTakeFirstOrThrow()
  if (row.deployment_id !== null)
    await setDeploymentStatuses(transaction, row.tenant_id, row.deployment_id, row)
  if (ended) await notify(transaction, { kind: 'execution_ended', ...key })
}

/**
 * - `installation_status`: active when every instance is started (or there are none), else inactive.
 * - `deployment_status`: in_progress while the latest execution runs; requires_attention when that failed or the
 *   deployment is inactive; else good.
 */
async function setDeploymentStatuses(
  transaction: Database,
  tenantId: number,
  deploymentId: string,
  latest: Pick<ExecutionRow, 'id' | 'status'>,
): Promise<void> {
  const inProgress = (activeStatuses as readonly string[]).includes(latest.status)
  const failed = latest.status === 'failed'
  await sql`
    update deployments set
      latest_execution_id = ${latest.id},
      installation_status = computed.installation,
      deployment_status = case
        when ${inProgress} then 'in_progress'
        when ${failed} or computed.installation = 'inactive' then 'requires_attention'
        else 'good' end
    from (
      select case when exists (
        select from node_instances
        where tenant_id = ${tenantId} and deployment_id = ${deploymentId} and state <> 'started'
      ) then 'inactive' else 'active' end as installation
    ) as computed
    where tenant_id = ${tenantId} and id = ${deploymentId}`.execute(transaction)
}
