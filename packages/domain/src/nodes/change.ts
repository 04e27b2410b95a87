import { badParameter, duplicate, emptyUpdate, notFound, type RouteBody } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { deploymentTable, inParts } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { objectAt } from '../json-object.ts'
import { checkDeploymentUpdate } from '../node-instances/index.ts'
import { lockOwned } from '../owned.ts'
import { deleteNode, insertNodes, type NodeCounts, nodeBatch, nodeRow, updateNode } from './queries.ts'

/**
 * Adds nodes to a deployment, behind those that it has (docs/reference/nodes-and-instances.md, "Nodes"). @throws
 * conflict_error
 */
export async function createNodes(
  actor: Actor,
  transaction: Transaction,
  { deployment_id: deploymentId, nodes }: RouteBody<'nodes.create'>,
): Promise<void> {
  const deployment = await lockOwned(actor, transaction, deploymentTable, deploymentId)
  const rows = nodes.map((node) => nodeRow({ ...node, ...addedCounts(node) }))
  const inserted = await insertNodes(
    transaction,
    deployment,
    [...inParts(rows)].map((part) => nodeBatch(part)),
  )
  const taken = nodes.find(
    ({ id }, index) => !inserted.has(id) || nodes.findIndex((one) => one.id === id) < index,
  )
  if (taken !== undefined) throw duplicate('Node', taken.id, deployment.tenant_name)
}

/** @throws only_deployment_update, not_found_error */
export async function changeNode(
  actor: Actor,
  transaction: Transaction,
  { deployment_id: deploymentId, node_id: id }: { deployment_id: string; node_id: string },
  patch: RouteBody<'nodes.update'>,
): Promise<void> {
  await checkDeploymentUpdate(actor, 'Nodes')
  if (Object.keys(patch).length === 0) throw emptyUpdate()
  const { tenant_id } = await lockOwned(actor, transaction, deploymentTable, deploymentId)
  const change = { ...patch, ...namedCounts(patch) }
  if (!(await updateNode(transaction, tenant_id, deploymentId, id, change))) {
    throw notFound('Node', id, { deployment_id: deploymentId })
  }
}

/** @throws only_deployment_update, not_found_error */
export async function removeNode(
  actor: Actor,
  transaction: Transaction,
  { deployment_id: deploymentId, node_id: id }: { deployment_id: string; node_id: string },
): Promise<void> {
  await checkDeploymentUpdate(actor, 'Nodes')
  const { tenant_id } = await lockOwned(actor, transaction, deploymentTable, deploymentId)
  if (!(await deleteNode(transaction, tenant_id, deploymentId, id))) {
    throw notFound('Node', id, { deployment_id: deploymentId })
  }
}

/** Which property of `capabilities.scalable` a count comes from where it is not named. */
const scalableNames = {
  number_of_instances: 'current_instances',
  planned_number_of_instances: 'current_instances',
  deploy_number_of_instances: 'default_instances',
  min_number_of_instances: 'min_instances',
  max_number_of_instances: 'max_instances',
} as const satisfies Readonly<Record<keyof NodeCounts, string>>

const defaultCounts: NodeCounts = {
  number_of_instances: 1,
  planned_number_of_instances: 1,
  deploy_number_of_instances: 1,
  min_number_of_instances: 0,
  max_number_of_instances: -1,
}

type Counted = Partial<NodeCounts> & { readonly capabilities?: unknown }

const addedCounts = (node: Counted): NodeCounts => ({ ...defaultCounts, ...namedCounts(node) })

/** @throws bad_parameters_error */
function namedCounts(node: Counted): Partial<NodeCounts> {
  const capabilities = objectAt(node, 'capabilities')
  const scalable = objectAt(objectAt(capabilities, 'scalable'), 'properties')
  const counts: Record<string, number> = {}
  for (const [name, property] of Object.entries(scalableNames)) {
    const value = node[name as keyof NodeCounts] ?? scalable[property]
    if (value === undefined) continue
    if (!Number.isInteger(value)) throw badParameter(`capabilities.scalable: ${property} must be an integer`)
    counts[name] = Number(value)
  }
  return counts
}
