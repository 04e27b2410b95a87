import {
  badParameter,
  emptyUpdate,
  executionGroupActions,
  isEndStatus,
  isExecutionGroupAction,
  type ListQuery,
  type RouteBody,
  wireList,
} from '@tutti/api'
import { deploymentGroupTable, executionGroupTable, listPage, notify, type Transaction } from '@tutti/storage'
import { type Actor, tenantScope } from '../actor.ts'
import {
  type CancelAction,
  checkResumable,
  dequeueExecutions,
  endWhatIsLeft,
  setExecutionStatuses,
  setForResume,
  statusAfterCancel,
} from '../executions/index.ts'
import { joinGroup } from '../group-members/index.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, checkOwnTenant, lockOwned, requireOwned } from '../owned.ts'
import { checkConcurrency } from './concurrency.ts'
import {
  deploymentsThatEnded,
  executionGroupResource,
  type LockedMember,
  lockExecutions,
  ofMembers,
  updateGroup,
} from './queries.ts'

/** What grows with the number of members is in a list only when it is asked for. */
export async function listGroups(actor: Actor, query: ListQuery) {
  const scope = await listScope(actor, query, 'execution_group_list')
  const resource = executionGroupResource
  const include = query.include ?? Object.keys(resource.fields).filter((name) => !ofMembers.includes(name))
  return listPage(actor.services.db, resource, { ...query, include }, scope)
}

/** @throws not_found_error */
export const getGroup = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, executionGroupResource, id, include)

/**
 * Every member to which the action can be done gets it; the others stay as they are (docs/reference/groups.md,
 * "Execution groups").
 */
export async function actOnGroup(actor: Actor, id: string, action: string): Promise<void> {
  if (!isExecutionGroupAction(action)) {
    throw badParameter(
      `Invalid action: ${action}, Valid action values are: ${wireList(executionGroupActions)}`,
    )
  }
  const { db, queue } = actor.services
  const done = db.transaction().execute(async (transaction) => {
    const group = await lockOwned(actor, transaction, executionGroupTable, id)
    const members = await lockExecutions(transaction, group.tenant_id, id, tenantScope(actor))
    if (action === 'resume' || action === 'force-resume') {
      await resumeAll(transaction, group.tenant_id, members, action)
    } else await cancelAll(transaction, group.tenant_id, members, action)
    await dequeueExecutions(transaction, queue)
  })
  try {
    await done
  } catch (error) {
    // Whoever looked for what may start has passed over the locked rows: it is up to us to look again.
    await db.transaction().execute((transaction) => dequeueExecutions(transaction, queue))
    throw error
  }
}

async function cancelAll(
  transaction: Transaction,
  tenantId: number,
  members: readonly LockedMember[],
  action: CancelAction,
): Promise<void> {
  const byStatus = Map.groupBy(members, (member) => statusAfterCancel(member, action))
  for (const [status, those] of byStatus) {
    const ids = those.map((one) => one.id)
    if (status === undefined) {
      if (action === 'kill') await endWhatIsLeft(transaction, tenantId, ids)
      continue
    }
    await setExecutionStatuses(transaction, tenantId, ids, { status })
    const news = ids.map((executionId) => ({ kind: 'execution_cancel', tenantId, executionId }) as const)
    if (!isEndStatus(status)) await notify(transaction, ...news)
  }
}

/**
 * Failed and cancelled members wait for their turn again: the concurrency holds for them as it did before.
 *
 * @throws conflict_error for a workflow that cannot be resumed
 */
async function resumeAll(
  transaction: Transaction,
  tenantId: number,
  members: readonly LockedMember[],
  action: 'resume' | 'force-resume',
): Promise<void> {
  const ended = members.filter(({ status }) => status === 'failed' || status === 'cancelled')
  for (const member of ended) checkResumable(member, action === 'force-resume')
  const ids = ended.map((one) => one.id)
  await setForResume(transaction, tenantId, ids, action)
  await setExecutionStatuses(transaction, tenantId, ids, { status: 'queued' })
}

/** A group for what has ended well or failed gets what has ended so already, and the rest as it ends. */
export async function changeGroup(
  actor: Actor,
  transaction: Transaction,
  id: string,
  body: RouteBody<'executionGroups.update'>,
): Promise<void> {
  const { success_group_id: success, failure_group_id: failure } = body
  if (success == null && failure == null && body.concurrency == null) throw emptyUpdate()
  const { queue } = actor.services
  const { tenant_id: tenantId } = await lockOwned(actor, transaction, executionGroupTable, id)
  for (const groupId of [success, failure]) {
    if (groupId == null) continue
    checkOwnTenant(actor, await requireOwned(actor, transaction, deploymentGroupTable, groupId))
  }
  // From here on, ends of members wait, and then know the new group: none is missed.
  await updateGroup(transaction, tenantId, id, {
    ...(success != null && { success_group_id: success }),
    ...(failure != null && { failure_group_id: failure }),
    ...(body.concurrency != null && { concurrency: checkConcurrency(body.concurrency) }),
  })
  for (const [groupId, status] of [
    [success, 'terminated'],
    [failure, 'failed'],
  ] as const) {
    if (groupId == null) continue
    const ended = await deploymentsThatEnded(transaction, tenantId, id, status, tenantScope(actor))
    await joinGroup(transaction, tenantId, groupId, ended, actor.caller.username)
  }
  await dequeueExecutions(transaction, queue)
}
