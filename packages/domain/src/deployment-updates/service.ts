import {
  ApiError,
  checkIdentifier,
  duplicate,
  foreignGlobal,
  type ListQuery,
  type RouteBody,
} from '@tutti/api'
import { deploymentTable, listPage, type Transaction, toJson } from '@tutti/storage'
import { type Actor, tenantOf } from '../actor.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, creationOf, lockOwned, visibleRow } from '../owned.ts'
import {
  changeUpdate,
  deleteOldUpdates,
  findUpdate,
  insertUpdate,
  json,
  readForInitiate,
  updateResource,
} from './queries.ts'

export async function listUpdates(actor: Actor, list: ListQuery) {
  const scope = await listScope(actor, list, 'deployment_update_list')
  return listPage(actor.services.db, updateResource, list, scope)
}

/** @throws not_found_error */
export const getUpdate = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, updateResource, id, include)

const states: ReadonlySet<string> = new Set([
  'updating',
  'executing_workflow',
  'finalizing',
  'successful',
  'failed',
  'preview',
])

/**
 * Writes an update as it is described: nothing is done. Executions do so, as workflows that update deployments by
 * themselves and those that restore snapshots are.
 *
 * @throws forbidden_error, conflict_error, bad_parameters_error, not_found_error
 */
export async function recordUpdate(
  actor: Actor,
  transaction: Transaction,
  id: string,
  body: RouteBody<'deploymentUpdates.put'>,
): Promise<void> {
  const { execution } = actor.caller
  if (execution === undefined) {
    throw new ApiError('forbidden_error', 'Deployment updates are recorded by executions only', {
      hint: 'POST /deployment-updates/DEPLOYMENT/update/initiate updates a deployment',
    })
  }
  checkIdentifier('update_id', id, 'any')
  const created = await creationOf(actor, transaction, body)
  const { deployment_id: deploymentId } = body
  const { tenant_id: tenantId } = await lockOwned(actor, transaction, deploymentTable, deploymentId)
  if ((await findUpdate(transaction, tenantId, id)) !== undefined) {
    throw duplicate(updateResource.model, id, tenantOf(actor).name)
  }
  const present = await readForInitiate(transaction, tenantId, deploymentId)
  await deleteOldUpdates(transaction, tenantId, deploymentId)
  await insertUpdate(transaction, {
    tenant_id: tenantId,
    id,
    deployment_id: deploymentId,
    old_blueprint_id: present.blueprint_id,
    new_blueprint_id: body.blueprint_id ?? present.blueprint_id,
    old_inputs: toJson(present.inputs),
    new_inputs: toJson({ ...(present.inputs as object), ...body.inputs }),
    runtime_only_evaluation: body.runtime_only_evaluation ?? present.runtime_only_evaluation,
    ...recordedColumns(body),
    ...created,
  })
}

/** @throws forbidden_error, bad_parameters_error, not_found_error, illegal_action_error */
export async function patchUpdate(
  actor: Actor,
  transaction: Transaction,
  id: string,
  body: RouteBody<'deploymentUpdates.update'>,
): Promise<void> {
  if (actor.caller.execution === undefined) {
    throw new ApiError('forbidden_error', 'Deployment updates are changed by executions only')
  }
  const { tenant_id: tenantId, execution_id: own } = await lockUpdate(actor, transaction, id)
  // What it is to write to the deployment is read from it.
  if (own !== null)
    throw new ApiError('forbidden_error', `Deployment update ${id} is the manager's own to change`)
  const change = recordedColumns({
    ...body,
    deployment_plan: body.deployment_plan ?? body.plan,
    deployment_update_nodes: body.deployment_update_nodes ?? body.nodes,
    deployment_update_node_instances: body.deployment_update_node_instances ?? body.node_instances,
  })
  if (Object.keys(change).length > 0) await changeUpdate(transaction, tenantId, id, change)
}

/** @throws not_found_error, illegal_action_error */
async function lockUpdate(actor: Actor, transaction: Transaction, id: string) {
  const found = await findUpdate(transaction, tenantOf(actor).id, id)
  const update = visibleRow(actor, updateResource.model, id, found)
  if (update.tenant_id !== tenantOf(actor).id) throw foreignGlobal(id, update.tenant_name)
  await lockOwned(actor, transaction, deploymentTable, update.deployment_id)
  return update
}

const documents = [
  'steps',
  'deployment_update_nodes',
  'deployment_update_node_instances',
  'deployment_update_deployment',
  'modified_entity_ids',
  'central_plugins_to_install',
  'central_plugins_to_uninstall',
] as const

/** @throws bad_parameters_error */
function recordedColumns(body: Partial<RouteBody<'deploymentUpdates.put'>>) {
  const { state, deployment_plan: plan } = body
  if (state != null && !states.has(state)) {
    throw new ApiError(
      'bad_parameters_error',
      `Invalid state: ${state}, Valid values are: ${[...states].join(', ')}`,
    )
  }
  return {
    ...(state != null && { state }),
    ...(plan != null && { deployment_plan: json(plan), deployment_plan_parts: null }),
    ...Object.fromEntries(
      documents.flatMap((name) => (body[name] == null ? [] : [[name, toJson(body[name])] as const])),
    ),
  }
}
