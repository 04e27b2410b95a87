import { ApiError } from '@tutti/api'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { insertEvents } from '../events.ts'
import type { StatusChange } from '../executions/status.ts'
import type { Visibility } from '../schema.ts'
import { joinGroup } from './members.ts'

export type NewExecutionGroup = {
  readonly tenantId: number
  readonly id: string
  /** Null for the deletion of the group's deployments, which the group itself does not outlive. */
  readonly deploymentGroupId: string | null
  readonly workflowId: string
  readonly concurrency: number
  readonly visibility: Visibility
  readonly createdBy: string
}

/** Its executions are to be inserted in the same transaction. */
export async function insertExecutionGroup(transaction: Database, group: NewExecutionGroup): Promise<void> {
  await transaction
    .insertInto('execution_groups')
    .values({
      tenant_id: group.tenantId,
      id: group.id,
      deployment_group_id: group.deploymentGroupId,
      workflow_id: group.workflowId,
      concurrency: group.concurrency,
      success_group_id: null,
      failure_group_id: null,
      visibility: group.visibility,
      created_by: group.createdBy,
    })
    .execute()
}

type Member = {
  readonly id: string
  readonly deployment_id: string | null
  readonly execution_group_id: string | null
}

/**
 * What the groups of executions that have another status now are to know: an event for each, and on an end the
 * deployment in the group for the successful or the failed ones (spec/workflows.md 6.3).
 */
export async function tellGroups(
  transaction: Database,
  tenantId: number,
  changed: readonly Member[],
  { status, error }: StatusChange,
): Promise<void> {
  const groupIds = new Set(changed.flatMap((one) => one.execution_group_id ?? []))
  for (const groupId of [...groupIds].sort()) {
    // Held: a success group that is named at this moment gets this member from here or from there.
    const { rows } = await sql<{
      success_group_id: string | null
      failure_group_id: string | null
      visibility: string
      created_by: string
    }>`
      select success_group_id, failure_group_id, visibility, created_by from execution_groups
      where tenant_id = ${tenantId} and id = ${groupId} for share`.execute(transaction)
    const [group] = rows
    if (group === undefined) continue
    const members = changed.filter((one) => one.execution_group_id === groupId)
    const why = error === undefined || error === '' ? '' : ` with error '${error}'`
    const now = new Date()
    const context = {
      tenantId,
      executionId: null,
      executionGroupId: groupId,
      workflowId: null,
      deploymentId: null,
      deploymentDisplayName: null,
      blueprintId: null,
      visibility: group.visibility,
      createdBy: group.created_by,
      managerName: null,
      agentName: null,
    }
    await insertEvents(
      transaction,
      context,
      members.map(({ id }) => ({
        isLog: false,
        reportedAt: now,
        eventType: 'execution_state_change',
        message: `execution '${id}' changed state to '${status}'${why}`,
      })),
    )
    const next =
      status === 'terminated' ? group.success_group_id : status === 'failed' ? group.failure_group_id : null
    if (next === null) continue
    const deployments = members.flatMap((one) => one.deployment_id ?? [])
    try {
      await joinGroup(transaction, tenantId, next, deployments, group.created_by)
    } catch (refusal) {
      if (!(refusal instanceof ApiError)) throw refusal
      // How the execution ended stands, whatever becomes of the labels.
      const message = `${deployments.join(', ')} did not get all labels of the group ${next}: ${refusal.message}`
      await insertEvents(transaction, context, [
        { isLog: true, reportedAt: now, level: 'warning', logger: 'tutti', message },
      ])
    }
  }
}
