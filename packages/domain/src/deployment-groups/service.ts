import { randomUUID } from 'node:crypto'
import {
  checkIdentifier,
  duplicate,
  emptyUpdate,
  type ListQuery,
  parseGivenVisibility,
  parseLabels,
  type RouteBody,
  type Visibility,
} from '@tutti/api'
import {
  deleteOwned,
  deploymentGroupTable,
  findOwned,
  listPage,
  lockId,
  type Transaction,
} from '@tutti/storage'
import { type Actor, isHiddenFrom, requirePermission, tenantOf, tenantScope } from '../actor.ts'
import { requireBlueprint } from '../blueprints/index.ts'
import { type DeleteOptions, startDeletions } from '../deployments/index.ts'
import { insertExecutionGroup } from '../executions/index.ts'
import { joinGroup, setGroupLabels } from '../group-members/index.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, checkNewVisibility, checkOwnTenant, claimId, creationOf, lockOwned } from '../owned.ts'
import { createInGroup, creationConcurrency } from './create.ts'
import {
  deleteMembers,
  deploymentGroupResource,
  deploymentsToDelete,
  insertGroup,
  lockGroup,
  updateGroup,
  visibleMembers,
} from './queries.ts'
import { selectedDeployments } from './selection.ts'

export async function listGroups(actor: Actor, query: ListQuery) {
  const scope = await listScope(actor, query, 'deployment_group_list')
  return listPage(actor.services.db, deploymentGroupResource, query, scope)
}

/** @throws not_found_error */
export const getGroup = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, deploymentGroupResource, id, include)

type Put = RouteBody<'deploymentGroups.put'>

/** Creates the group, or changes what the body names of it; new members and new deployments in the same transaction. */
export async function putGroup(actor: Actor, transaction: Transaction, id: string, body: Put): Promise<void> {
  checkIdentifier('group_id', id, 'any')
  const visibility = parseGivenVisibility(body)
  const labels = body.labels == null ? undefined : parseLabels(body.labels)
  const { id: tenantId } = tenantOf(actor)
  const { username } = actor.caller
  const isNew = await claimOrOpen(actor, transaction, id, visibility, body)
  await lockGroup(transaction, tenantId, id)
  const blueprint =
    body.blueprint_id == null ? undefined : await requireBlueprint(actor, transaction, body.blueprint_id)
  await updateGroup(transaction, tenantId, id, {
    ...(body.description != null && { description: body.description }),
    ...(!isNew && visibility !== undefined && { visibility }),
    ...(blueprint !== undefined && {
      default_blueprint_tenant_id: blueprint.tenant_id,
      default_blueprint_id: blueprint.id,
    }),
    ...(body.default_inputs != null && { default_inputs: body.default_inputs }),
  })
  if (labels !== undefined) {
    const members = await visibleMembers(transaction, tenantId, id, tenantScope(actor))
    await setGroupLabels(transaction, { tenantId, id }, labels, members, username)
  }
  const selected = await selectedDeployments(actor, transaction, body)
  if (selected !== undefined) {
    await deleteMembers(transaction, tenantId, id, { allBut: selected }, tenantScope(actor))
    await joinGroup(transaction, tenantId, id, selected, username)
  } else if (labels !== undefined) {
    // Joining again gives members what the group has got since.
    const members = await visibleMembers(transaction, tenantId, id, tenantScope(actor))
    await joinGroup(transaction, tenantId, id, members, username)
  }
  await createInGroup(actor, transaction, id, body.new_deployments ?? [])
}

/** True when the group was created just now; else it is the caller's to change. */
async function claimOrOpen(
  actor: Actor,
  transaction: Transaction,
  id: string,
  visibility: Visibility | undefined,
  given: Pick<Put, 'created_by' | 'created_at' | 'creation_counter'>,
): Promise<boolean> {
  const tenant = tenantOf(actor)
  await lockId(transaction, deploymentGroupTable, id)
  const existing = await findOwned(transaction, deploymentGroupTable, tenant.id, id)
  if (existing === undefined) {
    const creation = await creationOf(actor, transaction, given)
    await claimId(actor, transaction, deploymentGroupTable, id, visibility ?? 'tenant')
    await insertGroup(transaction, {
      tenant_id: tenant.id,
      id,
      visibility: visibility ?? 'tenant',
      ...(given.creation_counter != null && { creation_counter: given.creation_counter }),
      ...creation,
    })
    return true
  }
  if (isHiddenFrom(actor, existing)) throw duplicate('DeploymentGroup', id, tenant.name)
  checkOwnTenant(actor, existing)
  if (visibility !== undefined) {
    await checkNewVisibility(actor, transaction, deploymentGroupTable, existing, visibility)
  }
  return false
}

/** PATCH: adds members, new deployments too, then takes others out. */
export async function changeMembers(
  actor: Actor,
  transaction: Transaction,
  id: string,
  { add, remove }: RouteBody<'deploymentGroups.update'>,
): Promise<void> {
  if (add == null && remove == null) throw emptyUpdate()
  const { tenant_id: tenantId } = await lockOwned(actor, transaction, deploymentGroupTable, id)
  await lockGroup(transaction, tenantId, id)
  if (add != null) {
    const added = await selectedDeployments(actor, transaction, add)
    if (added !== undefined) await joinGroup(transaction, tenantId, id, added, actor.caller.username)
    await createInGroup(actor, transaction, id, add.new_deployments ?? [])
  }
  if (remove != null) {
    const removed = await selectedDeployments(actor, transaction, remove)
    if (removed !== undefined) {
      await deleteMembers(transaction, tenantId, id, { these: removed }, tenantScope(actor))
    }
  }
}

/**
 * Deletes the group; when asked to, starts the deletion of its deployments as well, as an execution group whose id is
 * the answer. The history of what ran on the group stays.
 */
export async function removeGroup(
  actor: Actor,
  transaction: Transaction,
  id: string,
  { deletesDeployments, ...options }: DeleteOptions & { readonly deletesDeployments: boolean },
): Promise<string | undefined> {
  if (deletesDeployments) requirePermission(actor, 'deployment_delete')
  const group = await lockOwned(actor, transaction, deploymentGroupTable, id)
  const { tenant_id: tenantId } = group
  // Before its members, as everybody locks them.
  await lockGroup(transaction, tenantId, id)
  const members = deletesDeployments
    ? await visibleMembers(transaction, tenantId, id, tenantScope(actor))
    : []
  const executionGroup = { id: randomUUID(), concurrency: creationConcurrency }
  if (members.length > 0) {
    await insertExecutionGroup(transaction, {
      ...executionGroup,
      tenantId,
      deploymentGroupId: null,
      workflowId: 'delete_deployment_environment',
      visibility: group.visibility,
      createdBy: actor.caller.username,
    })
    const deployments = await deploymentsToDelete(transaction, tenantId, members)
    await startDeletions(actor, transaction, deployments, options, executionGroup)
  }
  await deleteOwned(transaction, deploymentGroupTable, group)
  return members.length > 0 ? executionGroup.id : undefined
}
