import { isActiveStatus, isEndStatus } from '@tutti/api'
import { updateWorkflowName } from '@tutti/engine'
import type { Transaction, Visibility } from '@tutti/storage'
import { notify } from '@tutti/storage'
import { sql } from 'kysely'
import { linkAwaitingAgain } from '../dependencies/index.ts'
import { tellGroups } from './group-queries.ts'
import type { StatusChange } from './status-change.ts'

export const setExecutionStatus = (
  transaction: Transaction,
  key: { readonly tenantId: number; readonly executionId: string },
  change: StatusChange,
): Promise<void> => setExecutionStatuses(transaction, key.tenantId, [key.executionId], change)

type Changed = {
  readonly id: string
  readonly workflow_id: string
  readonly deployment_id: string | null
  readonly execution_group_id: string | null
  readonly visibility: Visibility
  readonly created_by: string
}

/**
 * Writes the status of executions and what follows from it: times, the deployments' computed statuses, what the
 * executions' groups are to know, and on an end status the news for whoever waits. Whether the transition is allowed is
 * the caller's decision, taken under the rows' locks. docs/reference/executions.md, "Statuses";
 * docs/reference/deployments.md, "Statuses".
 */
export async function setExecutionStatuses(
  transaction: Transaction,
  tenantId: number,
  executionIds: readonly string[],
  change: StatusChange,
): Promise<void> {
  if (executionIds.length === 0) return
  const ended = isEndStatus(change.status)
  const changed: readonly Changed[] = await transaction
    .updateTable('executions')
    .set({
      status: change.status,
      error: change.error ?? '',
      ...(change.status === 'started' && { started_at: sql`coalesce(started_at, clock_timestamp())` }),
      ...(ended && { ended_at: sql`clock_timestamp()` }),
      ...(ended && change.keepsLease !== true && { lease_owner: null, lease_expires_at: null }),
    })
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id = any(${[...executionIds]}::text[])`)
    .returning(['id', 'workflow_id', 'deployment_id', 'execution_group_id', 'visibility', 'created_by'])
    .execute()
  if (changed.length < executionIds.length) {
    throw new Error(`of the executions ${executionIds.join(', ')} only ${changed.length} are there`)
  }
  // Before the deployments are locked: whoever holds one of these wants its deployment next.
  if (ended && change.status !== 'terminated') await failFollowers(transaction, tenantId, changed, change)
  await setDeploymentStatuses(transaction, tenantId, changed, change.status)
  await setUpdateStates(transaction, tenantId, changed, change.status)
  await tellGroups(transaction, tenantId, changed, change)
  if (!ended) return
  if (change.status !== 'terminated') await awaitNoLonger(transaction, tenantId, changed)
  const news = changed.map(({ id }) => ({ kind: 'execution_ended', tenantId, executionId: id }) as const)
  await notify(transaction, ...news)
}

/** What waits for the creation of its deployment fails with it (docs/reference/executions.md, "Dequeue"). */
async function failFollowers(
  transaction: Transaction,
  tenantId: number,
  changed: readonly Changed[],
  { status, error }: StatusChange,
): Promise<void> {
  const deployments = changed
    .filter((one) => one.workflow_id === 'create_deployment_environment')
    .map((one) => one.deployment_id)
  if (deployments.length === 0) return
  const followers = await transaction
    .selectFrom('executions')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`deployment_id = any(${deployments}::text[])`)
    .where('status', '=', 'queued')
    .where('workflow_id', '<>', 'create_deployment_environment')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const why = error === undefined || error === '' ? '' : `: ${error}`
  await setExecutionStatuses(
    transaction,
    tenantId,
    followers.map(({ id }) => id),
    {
      status: 'failed',
      error: `Error dequeueing execution: the creation of its deployment was ${status}${why}`,
    },
  )
}

/** What is being deleted is nothing to depend on; what stays after all is again. */
async function awaitNoLonger(
  transaction: Transaction,
  tenantId: number,
  changed: readonly Changed[],
): Promise<void> {
  const staying = changed.flatMap(({ workflow_id: workflow, deployment_id: id }) =>
    workflow === 'delete_deployment_environment' && id !== null ? [id] : [],
  )
  if (staying.length > 0) await linkAwaitingAgain(transaction, tenantId, staying)
}

/** An update of a deployment goes as its execution does. */
async function setUpdateStates(
  transaction: Transaction,
  tenantId: number,
  changed: readonly Changed[],
  status: string,
): Promise<void> {
  const updates = changed.filter((one) => one.workflow_id === updateWorkflowName).map(({ id }) => id)
  if (updates.length === 0) return
  const ended = status === 'terminated' ? 'successful' : 'failed'
  await transaction
    .updateTable('deployment_updates')
    .set({ state: isEndStatus(status) ? ended : 'updating' })
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`execution_id = any(${updates}::text[])`)
    .execute()
}

/**
 * - `installation_status`: active when every instance is started (or there are none), else inactive.
 * - `deployment_status`: in_progress while the latest execution runs; requires_attention when that failed or the
 *   deployment is inactive; else good.
 */
async function setDeploymentStatuses(
  transaction: Transaction,
  tenantId: number,
  changed: readonly Changed[],
  status: string,
): Promise<void> {
  const latest = changed.filter((one) => one.deployment_id !== null)
  if (latest.length === 0) return
  const inProgress = isActiveStatus(status)
  const failed = status === 'failed'
  await sql`
    update deployments d set
      latest_execution_id = computed.execution_id,
      installation_status = computed.installation,
      deployment_status = case
        when ${inProgress} then 'in_progress'
        when ${failed} or computed.installation = 'inactive' then 'requires_attention'
        else 'good' end
    from (
      select latest.deployment_id, latest.execution_id, case when exists (
        select from node_instances i
        where i.tenant_id = ${tenantId} and i.deployment_id = latest.deployment_id and i.state <> 'started'
      ) then 'inactive' else 'active' end as installation
      from unnest(
        ${latest.map((one) => one.deployment_id)}::text[], ${latest.map((one) => one.id)}::text[]
      ) as latest (deployment_id, execution_id)
    ) as computed
    where d.tenant_id = ${tenantId} and d.id = computed.deployment_id`.execute(transaction)
}
