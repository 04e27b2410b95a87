import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  ApiError,
  type FilterRule,
  type ListAnswer,
  type ListQuery,
  notFound,
  type RouteBody,
} from '@tutti/api'
import { withFreeIds } from '@tutti/dsl'
import { deploymentTable, listPage, type Transaction } from '@tutti/storage'
import { type Actor, requirePermission, tenantScope } from '../actor.ts'
import { evaluatePayload, openEvaluation, readingEvaluator } from '../evaluation/index.ts'
import { listScope } from '../list-scope.ts'
import { checkNewOwner, checkOwnTenant, getItem, lockOwned, requireOwned } from '../owned.ts'
import { checkResults } from './checks.ts'
import { withIndexes } from './indexes.ts'
import {
  deleteInstance,
  type InstanceChange,
  insertInstances,
  type LockedInstance,
  lockInstance,
  nodeInstanceResource,
  nodeInstanceTable,
  readLastIndexes,
  takenInstanceIds,
  updateInstance,
  workflowOf,
} from './queries.ts'

export async function listNodeInstances(
  actor: Actor,
  list: ListQuery,
  rules?: readonly FilterRule[],
): Promise<ListAnswer> {
  const scope = await listScope(actor, list, 'node_instance_list')
  return listPage(actor.services.db, nodeInstanceResource, list, scope, [], rules)
}

/**
 * `evaluates`: with the functions in its runtime properties evaluated (docs/reference/nodes-and-instances.md, "Node
 * instances").
 *
 * @throws not_found_error, functions_evaluation_error
 */
export async function getNodeInstance(
  actor: Actor,
  id: string,
  options: { readonly include: readonly string[] | undefined; readonly evaluates?: boolean },
) {
  const { include, evaluates = false } = options
  const item = await getItem(actor, nodeInstanceResource, id, include)
  if (!evaluates || item.runtime_properties === undefined) return item
  const owner = await getItem(actor, nodeInstanceResource, id, ['deployment_id', 'tenant_name'])
  const evaluator = readingEvaluator(actor)
  const storage = await openEvaluation(
    evaluator,
    tenantScope(actor),
    String(owner.deployment_id),
    String(owner.tenant_name),
  )
  return {
    ...item,
    runtime_properties: await evaluatePayload(evaluator, item.runtime_properties, { self: id }, storage),
  }
}

/** Adds instances; returns their ids, which differ from the given ones where those are taken. @throws not_found_error */
export async function createNodeInstances(
  actor: Actor,
  transaction: Transaction,
  { deployment_id: deploymentId, node_instances: given }: RouteBody<'nodeInstances.create'>,
): Promise<readonly string[]> {
  const deployment = await lockOwned(actor, transaction, deploymentTable, deploymentId)
  const tenantId = deployment.tenant_id
  const lastIndexes = await readLastIndexes(transaction, tenantId, deploymentId)
  const missing = given.find(({ node_id }) => !lastIndexes.has(node_id))
  if (missing !== undefined) throw notFound('Node', missing.node_id, { deployment_id: deploymentId })
  const instances = await withFreeIds(
    given.map((instance) => ({ ...instance, relationships: instance.relationships ?? [] })),
    (ids) => takenInstanceIds(transaction, tenantId, ids),
    () => randomBytes(5).toString('hex'),
  )
  await checkRestored(actor, transaction, given)
  const owner = { ...deployment, deploymentId }
  await insertInstances(transaction, owner, withIndexes(instances, lastIndexes))
  return instances.map(({ id }) => id)
}

type Given = RouteBody<'nodeInstances.create'>['node_instances'][number]

/** In what state they are is for those to say who may change it, and whose they are for those who may say so. */
async function checkRestored(actor: Actor, transaction: Transaction, given: readonly Given[]) {
  if (given.some(({ state }) => state != null)) requirePermission(actor, 'node_instance_update')
  const owners = new Set(given.flatMap(({ created_by }) => created_by ?? []))
  for (const owner of owners) await checkNewOwner(actor, transaction, owner)
}

type Patch = RouteBody<'nodeInstances.update'>

/**
 * Changes an instance under optimistic locking (docs/reference/nodes-and-instances.md, "Node instances"): whoever read
 * an older version than the stored one is refused, and only what differs from what is stored counts as a change.
 *
 * An operation whose request was carried out but not answered, because the database or this process went away, sends
 * it again (docs/reference/nodes-and-instances.md, "Changes of an instance"). It is then one version behind its own
 * change, which is no conflict.
 *
 * @throws conflict_error
 */
export async function changeNodeInstance(
  actor: Actor,
  transaction: Transaction,
  id: string,
  patch: Patch,
  isForced: boolean,
): Promise<void> {
  const tenantId = await ownTenantOf(actor, id)
  if (patch.relationships != null) await checkDeploymentUpdate(actor, 'The relationships of a node instance')
  const instance = await lockInstance(transaction, tenantId, id)
  if (instance === undefined) throw notFound('NodeInstance', id)
  const change = effectiveChange(instance, patch)
  const isRepeated =
    actor.caller.execution !== undefined && change === undefined && instance.version === patch.version + 1
  if (instance.version > patch.version && !isForced && !isRepeated) {
    throw new ApiError(
      'conflict_error',
      `Node instance update conflict [current version=${instance.version}, update version=${patch.version}]`,
      { hint: 'Read the node instance again, repeat your change on what it says now, and send that' },
    )
  }
  if (change !== undefined) await updateInstance(transaction, tenantId, id, change)
}

/** @throws not_found_error, illegal_action_error for a global one of another tenant */
async function ownTenantOf(actor: Actor, id: string): Promise<number> {
  const instance = await requireOwned(actor, actor.services.db, nodeInstanceTable, id)
  checkOwnTenant(actor, instance)
  return instance.tenant_id
}

const updateWorkflows: ReadonlySet<string | undefined> = new Set(['update', 'csys_new_deployment_update'])

/** @throws only_deployment_update */
export async function checkDeploymentUpdate({ caller, services }: Actor, what: string): Promise<void> {
  const { execution } = caller
  const workflow = execution && (await workflowOf(services.db, execution.tenantId, execution.id))
  if (updateWorkflows.has(workflow)) return
  throw new ApiError('only_deployment_update', `${what} can only be changed by a deployment update`)
}

function effectiveChange(stored: LockedInstance, patch: Patch): InstanceChange | undefined {
  const differs = (given: unknown, present: unknown) => given != null && !isDeepStrictEqual(given, present)
  const change: InstanceChange = {
    ...(patch.state != null && patch.state !== stored.state && { state: patch.state }),
    ...(differs(patch.runtime_properties, stored.runtimeProperties) && {
      runtimeProperties: patch.runtime_properties,
    }),
    ...(differs(patch.relationships, stored.relationships) && { relationships: patch.relationships }),
    ...(patch.system_properties != null &&
      differs(patch.system_properties, stored.systemProperties) && {
        system: { properties: patch.system_properties, ...checkResults(patch.system_properties) },
      }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}

/** @throws only_deployment_update, not_found_error */
export async function removeNodeInstance(actor: Actor, id: string): Promise<void> {
  await checkDeploymentUpdate(actor, 'Node instances')
  const tenantId = await ownTenantOf(actor, id)
  await deleteInstance(actor.services.db, tenantId, id)
}
