import { ApiError } from '@tutti/api'
import type { PlanNode } from '@tutti/dsl'
import type { Transaction } from '@tutti/storage'
import {
  changeNodeInstances,
  type InstanceRecord,
  lockDeploymentOf,
  readInstanceRecords,
} from '../node-instances/index.ts'
import { deleteNode, updateNode } from '../nodes/index.ts'
import { refuseModified } from './apply.ts'
import { marked, type PlannedUpdate, readPlannedUpdate, storedRelationship } from './planned.ts'
import {
  findLater,
  holdNewBlueprint,
  noteChange,
  settleCounts,
  type UpdateRow,
  writeDeployment,
} from './queries.ts'

/** From now on operations find the files of the new blueprint. @throws conflict_error when it is gone */
export async function changeBlueprintOf(transaction: Transaction, update: UpdateRow): Promise<void> {
  await checkLatest(transaction, update)
  const { blueprintId, blueprintTenantId } = update
  const held = await holdNewBlueprint(transaction, update)
  if (held === undefined || blueprintId === null || blueprintTenantId === null) {
    throw new ApiError('conflict_error', `The blueprint ${blueprintId} of the update is gone`)
  }
  await writeDeployment(transaction, update, {
    blueprint_id: blueprintId,
    blueprint_tenant_id: blueprintTenantId,
  })
}

/**
 * Ends an update: what it removes goes, and relationships are again in the order of the plan.
 *
 * @throws conflict_error when another update was applied after it; existing_started_deployment_modification_error
 */
export async function finishUpdate(transaction: Transaction, update: UpdateRow): Promise<void> {
  const { tenantId, deploymentId } = update
  await lockDeploymentOf(transaction, tenantId, deploymentId)
  await checkLatest(transaction, update)
  // Started after the update had failed, and not ended when it was resumed.
  await refuseModified(transaction, update)
  const planned = await readPlannedUpdate(transaction, update)
  const present = await readInstanceRecords(transaction, tenantId, deploymentId)
  const removed = new Set(
    marked(planned.nodeInstances.removed_and_related, 'removed').map((instance) => instance.id),
  )
  await changeNodeInstances(transaction, update, {
    added: [],
    rewired: rewired(planned, present, removed),
    removed: present.flatMap(({ id }) => (removed.has(id) ? [id] : [])),
  })
  for (const id of planned.nodes.remove) await deleteNode(transaction, tenantId, deploymentId, id)
  const byId = new Map(planned.plan.nodes.map((node) => [node.id, node]))
  for (const id of planned.nodeInstances.relationships_changed) {
    const relationships = byId.get(id)?.relationships.map(storedRelationship)
    if (relationships !== undefined)
      await updateNode(transaction, tenantId, deploymentId, id, { relationships })
  }
  await settleCounts(transaction, update)
  await noteChange(transaction, update)
}

async function checkLatest(transaction: Transaction, update: UpdateRow): Promise<void> {
  const later = await findLater(transaction, update)
  if (later === undefined) return
  throw new ApiError(
    'conflict_error',
    `The update ${update.id} cannot go on: ${later} was applied to deployment ${update.deploymentId} after it`,
  )
}

type Edge = InstanceRecord['relationships'][number]

/** Of instances that stay, the relationships that are left, in the order of the plan; of those that differ. */
function rewired(
  { plan, nodeInstances }: PlannedUpdate,
  present: readonly InstanceRecord[],
  removed: ReadonlySet<string>,
) {
  const lost = new Map(
    marked(nodeInstances.reduced_and_related, 'reduced').map(({ id, relationships }) => [
      id,
      new Set(relationships.map(keyOf)),
    ]),
  )
  const reordered = new Set(nodeInstances.relationships_changed)
  const places = new Map(plan.nodes.map((node) => [node.id, placesOf(node)]))
  return present.flatMap(({ id, node_id, relationships }) => {
    if (removed.has(id)) return []
    const left = relationships.filter(
      (edge) => !removed.has(edge.target_id) && lost.get(id)?.has(keyOf(edge)) !== true,
    )
    const place = places.get(node_id)
    const at = (edge: Edge) => place?.get(`${edge.type}\n${edge.target_name}`) ?? relationships.length
    const gained = left.length < relationships.length || reordered.has(node_id)
    const ordered = gained ? left.toSorted((one, other) => at(one) - at(other)) : left
    return ordered.every((edge, index) => edge === relationships[index]) &&
      left.length === relationships.length
      ? []
      : [{ id, relationships: ordered }]
  })
}

const placesOf = ({ relationships }: PlanNode) =>
  new Map(relationships.map(({ type, target_id }, index) => [`${type}\n${target_id}`, index]))

const keyOf = ({ type, target_id }: Edge) => `${type}\n${target_id}`
