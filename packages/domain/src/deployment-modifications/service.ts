import { foreignGlobal, type ListQuery, type RouteBody } from '@tutti/api'
import type { ModifiedNumber } from '@tutti/dsl'
import { deploymentTable, listPage, type Transaction } from '@tutti/storage'
import { type Actor, tenantOf } from '../actor.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, holdCaller, lockOwned, requireOwned, visibleRow } from '../owned.ts'
import { finishModification, rollbackModification } from './end.ts'
import { findModification, modificationResource } from './queries.ts'
import { startModification } from './start.ts'
import { whatDisagrees } from './verify.ts'

export async function listDeploymentModifications(actor: Actor, list: ListQuery) {
  const scope = await listScope(actor, list, 'deployment_modification_list')
  return listPage(actor.services.db, modificationResource, list, scope)
}

/** @throws not_found_error */
export const getDeploymentModification = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, modificationResource, id, include)

/** Returns its id. @throws what `startModification` throws, illegal_action_error */
export async function startDeploymentModification(
  actor: Actor,
  transaction: Transaction,
  { deployment_id: deploymentId, nodes, context = null }: RouteBody<'deploymentModifications.start'>,
): Promise<string> {
  await holdCaller(actor, transaction)
  const { tenant_id: tenantId } = await lockOwned(actor, transaction, deploymentTable, deploymentId)
  return startModification(transaction, {
    tenantId,
    deploymentId,
    nodes: Object.fromEntries(Object.entries(nodes).map(([name, wanted]) => [name, numberOf(wanted)])),
    context,
    createdBy: actor.caller.username,
    executionId: null,
  })
}

/** Whether what is stored of it agrees (`whatDisagrees`). @throws not_found_error */
export async function verifyDeployment(actor: Actor, id: string) {
  const { db } = actor.services
  const { tenant_id: tenantId } = await requireOwned(actor, db, deploymentTable, id)
  return { deployment_id: id, problems: [...(await whatDisagrees(db, tenantId, id))] }
}

type Wanted = RouteBody<'deploymentModifications.start'>['nodes'][string]

const numberOf = ({
  instances,
  removed_ids_include_hint: include,
  removed_ids_exclude_hint: exclude,
}: Wanted): ModifiedNumber => ({
  instances,
  ...(include != null && { removed_ids_include_hint: include }),
  ...(exclude != null && { removed_ids_exclude_hint: exclude }),
})

/** @throws deployment_modification_already_ended_error, illegal_action_error, not_found_error */
export async function endDeploymentModification(
  actor: Actor,
  transaction: Transaction,
  id: string,
  how: 'finish' | 'rollback',
): Promise<void> {
  const found = await findModification(transaction, tenantOf(actor).id, id)
  const { tenant_id, tenant_name, deployment_id } = visibleRow(actor, modificationResource.model, id, found)
  if (tenant_id !== tenantOf(actor).id) throw foreignGlobal(id, tenant_name)
  await lockOwned(actor, transaction, deploymentTable, deployment_id)
  const end = how === 'finish' ? finishModification : rollbackModification
  await end(transaction, { tenantId: tenant_id, deploymentId: deployment_id, id })
}
