import { ApiError } from '@tutti/api'
import type { Transaction, Visibility } from '@tutti/storage'
import { insertEvents } from '@tutti/storage'
import { sql } from 'kysely'
import { joinGroup } from '../group-members/index.ts'
import type { StatusChange } from './status-change.ts'

export type NewExecutionGroup = {
  readonly tenantId: number
  readonly id: string
  /** Null for the deletion of the group's deployments, which the group itself does not outlive. */
  readonly deploymentGroupId: string | null
  readonly workflowId: string
  readonly concurrency: number
  readonly visibility: Visibility
  readonly createdBy: string
  readonly createdAt?: Date | undefined
}

/** Its executions are to be inserted in the same transaction. */
export async function insertExecutionGroup(
  transaction: Transaction,
  group: NewExecutionGroup,
): Promise<void> {
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
      ...(group.createdAt !== undefined && { created_at: group.createdAt }),
    })
    .execute()
}

type Member = {
  readonly id: string
  readonly deployment_id: string | null
  readonly execution_group_id: string | null
  readonly visibility: Visibility
  readonly created_by: string
}

type GroupOwner = { readonly visibility: Visibility; readonly created_by: string }

/**
 * Who sees an event of a group that names one of its members: who sees both. Of what is private in a group that others
 * see, that is whoever the member belongs to.
 */
export const ownerOfEvent = (group: GroupOwner, member: GroupOwner): GroupOwner =>
  group.visibility !== 'private' && member.visibility === 'private' ? member : group

/** The members with the owner of the events about them, those of one owner together. */
export function byOwnerOfEvent<Member extends GroupOwner>(
  group: GroupOwner,
  members: readonly Member[],
): readonly { readonly owner: GroupOwner; readonly members: readonly Member[] }[] {
  const groups = Map.groupBy(members, (member) => {
    const { visibility, created_by } = ownerOfEvent(group, member)
    return JSON.stringify([visibility, created_by])
  })
  return [...groups.values()].map((those) => ({
    owner: ownerOfEvent(group, those[0] as Member),
    members: those,
  }))
}

/**
 * What the groups of executions that have another status now are to know: an event for each, and on an end the
 * deployment in the group for the successful or the failed ones (docs/reference/groups.md, "Execution groups").
 */
export async function tellGroups(
  transaction: Transaction,
  tenantId: number,
  changed: readonly Member[],
  change: StatusChange,
): Promise<void> {
  const groupIds = new Set(changed.flatMap((one) => one.execution_group_id ?? []))
  for (const groupId of [...groupIds].sort()) {
    // Held: a success group that is named at this moment gets this member from here or from there.
    const { rows } = await sql<Told['group']>`
      select success_group_id, failure_group_id, visibility, created_by from execution_groups
      where tenant_id = ${tenantId} and id = ${groupId} for share`.execute(transaction)
    const [group] = rows
    if (group === undefined) continue
    const members = changed.filter((one) => one.execution_group_id === groupId)
    for (const { owner, members: those } of byOwnerOfEvent(group, members)) {
      await tellOf(transaction, { tenantId, groupId, group, owner }, those, change)
    }
  }
}

type Told = {
  readonly tenantId: number
  readonly groupId: string
  readonly group: GroupOwner & {
    readonly success_group_id: string | null
    readonly failure_group_id: string | null
  }
  readonly owner: GroupOwner
}

async function tellOf(
  transaction: Transaction,
  { tenantId, groupId, group, owner }: Told,
  members: readonly Member[],
  { status, error }: StatusChange,
): Promise<void> {
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
    visibility: owner.visibility,
    createdBy: owner.created_by,
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
  if (next === null) return
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
