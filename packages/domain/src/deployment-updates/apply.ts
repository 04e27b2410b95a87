import { randomUUID } from 'node:crypto'
import { ApiError, notFound, parseLabels } from '@tutti/api'
import type { ModifiedAttribute, PlanNode } from '@tutti/dsl'
import { inParts, type Transaction, toJson } from '@tutti/storage'
import { addDependencies, setDeploymentLabels } from '../dependencies/index.ts'
import { findApplying, findStartedModification } from '../deployment-modifications/index.ts'
import { changeNodeInstances, lockDeploymentOf, readInstanceRecords } from '../node-instances/index.ts'
import { insertNodes, type NodeCounts, nodeBatch, nodeRow, updateNode } from '../nodes/index.ts'
import { marked, type PlannedUpdate, readPlannedUpdate, storedRelationship } from './planned.ts'
import {
  changeUpdate,
  deleteFunctionDependencies,
  deploymentDigest,
  readRelationships,
  type UpdateRow,
  writeDeployment,
} from './queries.ts'

/**
 * Makes the deployment what the update has been prepared for: its attributes, nodes, new instances and what leads to
 * them. What is to be removed stays until the update is finished (docs/reference/deployment-updates.md, "What is done").
 *
 * @throws conflict_error when the deployment is no longer what the update was prepared for;
 * existing_started_deployment_modification_error
 */
export async function applyUpdate(transaction: Transaction, update: UpdateRow): Promise<void> {
  const { tenantId, deploymentId, id } = update
  const deployment = await lockDeploymentOf(transaction, tenantId, deploymentId)
  if (deployment === undefined) throw notFound('Deployment', deploymentId)
  await checkUnchanged(transaction, update)
  const planned = await readPlannedUpdate(transaction, update)
  const { plan } = planned
  await writeDeployment(transaction, update, {
    description: plan.description,
    inputs: toJson(plan.inputs),
    outputs: toJson(plan.outputs),
    capabilities: toJson(plan.capabilities),
    workflows: toJson(plan.workflows),
    runtime_only_evaluation: update.runtimeOnlyEvaluation,
  })
  await writeNodes(transaction, update, deployment, planned)
  await changeNodeInstances(transaction, update, {
    added: marked(planned.nodeInstances.added_and_related, 'added').map((instance) => ({
      ...instance,
      scaling_groups: instance.scaling_groups ?? [],
    })),
    rewired: await extended(transaction, update, planned),
    removed: [],
  })
  const source = { tenantId, id: deploymentId }
  const labels = parseLabels(Object.entries(plan.labels).map(([key, { values }]) => ({ [key]: [...values] })))
  if (labels.length > 0) await setDeploymentLabels(transaction, source, labels, update.createdBy, 'add')
  await writeDependencies(transaction, update, deployment, planned)
  await changeUpdate(transaction, tenantId, id, { applied_at: new Date() })
}

/**
 * What a modification plans would be taken for what the update has come to.
 *
 * @throws existing_started_deployment_modification_error
 */
export async function refuseModified(
  transaction: Transaction,
  { tenantId, deploymentId }: UpdateRow,
): Promise<void> {
  const modification = await findStartedModification(transaction, tenantId, deploymentId)
  if (modification === undefined) return
  throw new ApiError(
    'existing_started_deployment_modification_error',
    `Cannot update deployment ${deploymentId} while a deployment modification of it is started: ${modification.id}`,
    { hint: 'Finish it or roll it back' },
  )
}

async function checkUnchanged(transaction: Transaction, update: UpdateRow): Promise<void> {
  const { tenantId, deploymentId } = update
  await refuseModified(transaction, update)
  const other = await findApplying(transaction, update, update.id)
  if (other !== undefined) {
    throw new ApiError(
      'conflict_error',
      `Cannot update deployment ${deploymentId}: the update ${other} is at work`,
    )
  }
  if ((await deploymentDigest(transaction, tenantId, deploymentId)) === update.planOf) return
  throw new ApiError(
    'conflict_error',
    `Cannot update deployment ${deploymentId}: it has changed since the update was prepared`,
    { hint: 'Start the update again' },
  )
}

type Owner = NonNullable<Awaited<ReturnType<typeof lockDeploymentOf>>>

async function writeNodes(
  transaction: Transaction,
  update: UpdateRow,
  deployment: Owner,
  { plan, nodes, steps }: PlannedUpdate,
): Promise<void> {
  const { tenantId, deploymentId } = update
  const byId = new Map(plan.nodes.map((node) => [node.id, node]))
  const planOf = (id: string) => {
    const node = byId.get(id)
    if (node === undefined) throw new Error(`the plan of update ${update.id} has no node ${id}`)
    return node
  }
  // Their operations are still to run.
  const going = steps.filter(
    ({ action, entity_type: type }) => action === 'remove' && type === 'relationship',
  )
  const stored = await readRelationships(
    transaction,
    update,
    going.flatMap(({ entity_id: [, node] }) => node ?? []),
  )
  for (const [id, attributes] of Object.entries(nodes.modify_attributes)) {
    const node = planOf(id)
    const kept = going
      .filter(({ entity_id: [, name] }) => name === id)
      .map(({ entity_id: [, , , index] }) => stored.get(id)?.[Number(index)])
    await updateNode(transaction, tenantId, deploymentId, id, nodeChange(node, attributes, kept))
  }
  const added = nodes.add.map((id) => newNode(planOf(id)))
  const owner = { ...deployment, id: deploymentId }
  for (const part of inParts(added)) await insertNodes(transaction, owner, [nodeBatch(part)])
}

function nodeChange(node: PlanNode, attributes: readonly ModifiedAttribute[], kept: readonly unknown[]) {
  const changes = (name: ModifiedAttribute) => attributes.includes(name)
  const { number_of_instances: _, ...counts } = countsOf(node)
  return {
    type_hierarchy: node.type_hierarchy,
    ...(changes('properties') && { properties: node.properties }),
    ...(changes('operations') && { operations: node.operations }),
    ...(changes('relationships') && {
      relationships: [...node.relationships.map(storedRelationship), ...kept],
    }),
    ...(changes('plugins') && {
      plugins: node.plugins,
      plugins_to_install: node.plugins_to_install ?? null,
    }),
    ...(changes('capabilities') && counts),
  }
}

const newNode = (node: PlanNode) =>
  nodeRow({
    ...node,
    plugins_to_install: node.plugins_to_install ?? null,
    relationships: node.relationships.map(storedRelationship),
    ...countsOf(node),
  })

function countsOf({ capabilities }: PlanNode): NodeCounts {
  const { properties } = capabilities.scalable
  return {
    number_of_instances: Number(properties.current_instances),
    planned_number_of_instances: Number(properties.planned_instances),
    deploy_number_of_instances: Number(properties.default_instances),
    min_number_of_instances: Number(properties.min_instances),
    max_number_of_instances: Number(properties.max_instances),
  }
}

/** Instances that stay, with the relationships that they gain behind those that they have. */
async function extended(transaction: Transaction, update: UpdateRow, { nodeInstances }: PlannedUpdate) {
  const gained = new Map(
    marked(nodeInstances.extended_and_related, 'extended').map(({ id, relationships }) => [
      id,
      relationships,
    ]),
  )
  if (gained.size === 0) return []
  const present = await readInstanceRecords(transaction, update.tenantId, update.deploymentId)
  return present.flatMap(({ id, relationships }) => {
    const edges = gained.get(id)
    return edges === undefined ? [] : [{ id, relationships: [...relationships, ...edges] }]
  })
}

async function writeDependencies(
  transaction: Transaction,
  update: UpdateRow,
  { visibility }: Owner,
  { plan }: PlannedUpdate,
): Promise<void> {
  const source = { tenantId: update.tenantId, id: update.deploymentId }
  await deleteFunctionDependencies(transaction, update)
  await addDependencies(
    transaction,
    source,
    plan.inter_deployment_functions.map(
      ({ function_identifier, target_deployment: [target, func], context }) => ({
        id: randomUUID(),
        creator: function_identifier,
        target,
        targetFunction: target === null ? { function: func, context } : null,
        externalSource: null,
        externalTarget: null,
        visibility,
        createdBy: update.createdBy,
      }),
    ),
    update.createdBy,
  )
}
