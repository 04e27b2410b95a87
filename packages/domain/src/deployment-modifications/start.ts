import { randomUUID } from 'node:crypto'
import { ApiError, badParameter, notFound } from '@tutti/api'
import {
  BudgetExceeded,
  DslError,
  type Modification,
  type ModificationRequest,
  type ModifiedInstance,
  type ModifiedNumber,
  modifyNodeInstances,
  type PlannedNodeInstance,
  withFreeIdsIn,
} from '@tutti/dsl'
import type { RewiredNodeInstance } from '@tutti/engine'
import type { Transaction } from '@tutti/storage'
import {
  changeNodeInstances,
  type InstanceRecord,
  lockDeploymentOf,
  randomId,
  readInstanceRecords,
  takenInstanceIds,
} from '../node-instances/index.ts'
import { currentCount, setCounts } from './counts.ts'
import {
  deleteOldModifications,
  findApplying,
  findStartedModification,
  insertModification,
  readScalable,
  readTopology,
  type ScalableCounts,
} from './queries.ts'

export type ModificationToStart = {
  readonly tenantId: number
  readonly deploymentId: string
  readonly nodes: Readonly<Record<string, ModifiedNumber>>
  readonly context: unknown
  readonly createdBy: string
  /** Whose action begins it; null over REST. */
  readonly executionId: string | null
}

/**
 * Starts a modification (docs/reference/deployment-modifications.md): what is added is there from now on, and what leads
 * to it; nothing is removed yet. Returns its id.
 *
 * @throws existing_started_deployment_modification_error; not_found_error for what is no node or scaling group;
 * bad_parameters_error for what cannot be planned; not_found_error for the deployment; conflict_error while an update of
 * it is at work
 */
export async function startModification(
  transaction: Transaction,
  modification: ModificationToStart,
): Promise<string> {
  const { tenantId, deploymentId, nodes: modified } = modification
  const owner = { tenantId, deploymentId }
  // Whoever changes the instances of the deployment comes one after another.
  if ((await lockDeploymentOf(transaction, tenantId, deploymentId)) === undefined) {
    throw notFound('Deployment', deploymentId)
  }
  const present = await findStartedModification(transaction, tenantId, deploymentId)
  if (present !== undefined) {
    throw new ApiError(
      'existing_started_deployment_modification_error',
      `Cannot start deployment modification while there are existing started deployment modifications. Currently started deployment modifications: ${present.id}`,
      { hint: 'Finish it or roll it back; the workflow scale does the latter with abort_started' },
    )
  }
  const update = await findApplying(transaction, owner)
  if (update !== undefined) {
    throw new ApiError(
      'conflict_error',
      `Cannot start deployment modification: the update ${update} of deployment ${deploymentId} is at work`,
    )
  }
  const scalable = await readScalable(transaction, tenantId, deploymentId)
  for (const name of Object.keys(modified)) {
    if (currentCount(scalable, name) === undefined) {
      throw notFound('Node', name, { deployment_id: deploymentId })
    }
  }
  const before = await readInstanceRecords(transaction, tenantId, deploymentId)
  const topology = await readTopology(transaction, tenantId, deploymentId)
  const lists = await withFreeIdsIn(
    planned({
      nodes: topology,
      instances: currentCounts(scalable),
      previousInstances: before.map(plannedInstance),
      scalingGroups: scalable.scalingGroups,
      groups: scalable.groups,
      modified,
      randomId,
    }),
    (ids) => takenInstanceIds(transaction, tenantId, ids),
    randomId,
  )
  const order = new Map(topology.map(({ id, relationships }) => [id, relationships]))
  await changeNodeInstances(transaction, owner, {
    added: marked(lists.added_and_related, 'added').map((instance) => ({
      ...instance,
      scaling_groups: instance.scaling_groups ?? [],
    })),
    rewired: extended(before, lists, (node) => order.get(node)?.map(({ target_id }) => target_id) ?? []),
    removed: [],
  })
  const counts = new Map(Object.entries(modified).map(([name, { instances }]) => [name, instances]))
  await setCounts(transaction, owner, scalable, 'planned', counts)
  await deleteOldModifications(transaction, tenantId, deploymentId)
  const id = randomUUID()
  await insertModification(transaction, {
    tenantId,
    id,
    deploymentId,
    executionId: modification.executionId,
    modifiedNodes: modified,
    nodeInstances: { before_modification: before, ...shownLists(lists) },
    context: modification.context,
    createdBy: modification.createdBy,
  })
  return id
}

/** @throws bad_parameters_error */
function planned(request: ModificationRequest): Modification {
  try {
    return modifyNodeInstances(request)
  } catch (error) {
    if (error instanceof DslError || error instanceof BudgetExceeded) throw badParameter(error.message)
    throw error
  }
}

const currentCounts = (scalable: ScalableCounts) =>
  Object.fromEntries(
    [...scalable.nodes.keys(), ...Object.keys(scalable.scalingGroups)].map((name) => [
      name,
      currentCount(scalable, name) ?? 0,
    ]),
  )

export const plannedInstance = (record: InstanceRecord): PlannedNodeInstance => ({
  id: record.id,
  name: record.node_id,
  node_id: record.node_id,
  ...(record.host_id !== null && { host_id: record.host_id }),
  relationships: record.relationships,
  ...(record.scaling_groups.length > 0 && { scaling_groups: record.scaling_groups }),
})

export const marked = <Instance extends { readonly modification?: unknown }>(
  list: readonly Instance[],
  modification: ModifiedInstance['modification'],
) => list.filter((instance) => instance.modification === modification)

/** Instances that stay with the edges that they gain, in the order in which their node declares its targets. */
function extended(
  before: readonly InstanceRecord[],
  { added_and_related, extended_and_related }: Modification,
  targetsOf: (node: string) => readonly string[],
): readonly RewiredNodeInstance[] {
  const gained = new Map<string, Map<string, InstanceRecord['relationships'][number]>>()
  for (const { id, relationships, modification } of [...added_and_related, ...extended_and_related]) {
    if (modification === 'added' || relationships.length === 0) continue
    const edges = gained.get(id) ?? new Map<string, InstanceRecord['relationships'][number]>()
    for (const edge of relationships) edges.set(`${edge.type}\n${edge.target_id}`, edge)
    gained.set(id, edges)
  }
  const present = new Set(before.map(({ id }) => id))
  return before.flatMap(({ id, node_id, relationships }) => {
    const edges = gained.get(id)
    if (edges === undefined) return []
    const place = new Map(targetsOf(node_id).map((target, index) => [target, index]))
    const at = (target: string) => place.get(target) ?? place.size
    // What led nowhere before is not gone on with.
    const kept = relationships.filter(({ target_id }) => present.has(target_id))
    const all = [...kept, ...edges.values()]
    return [{ id, relationships: all.sort((one, other) => at(one.target_name) - at(other.target_name)) }]
  })
}

/** Related instances are marked by null. */
const shownLists = (lists: Modification) =>
  Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      (list as readonly ModifiedInstance[]).map((instance) => ({ modification: null, ...instance })),
    ]),
  )
