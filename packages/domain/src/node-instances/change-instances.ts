import { badParameter, duplicate, notFound } from '@tutti/api'
import { PLANNING_LIMITS } from '@tutti/dsl'
import type { NodeInstanceChange, RewiredNodeInstance } from '@tutti/engine'
import { inParts, type Transaction } from '@tutti/storage'
import { deleteInstances, lockDeploymentOf, readNodesOf, rewireInstances } from './change-queries.ts'
import { withIndexes } from './indexes.ts'
import { insertInstances, readLastIndexes, takenInstanceIds } from './queries.ts'

/**
 * Adds, rewires and removes node instances of one deployment together, as scaling and updates do: a step of an
 * execution, of whose own deployment they are. Ids of another deployment's instances are nobody's here. Whoever calls
 * holds the execution's lease.
 *
 * @throws not_found_error for what is not in the deployment, targets of relationships included; conflict_error for ids that are taken; bad_parameters_error
 * for more instances than a deployment may have
 */
export async function changeNodeInstances(
  transaction: Transaction,
  { tenantId, deploymentId }: { readonly tenantId: number; readonly deploymentId: string },
  { added, rewired, removed }: NodeInstanceChange,
): Promise<void> {
  const deployment = await lockDeploymentOf(transaction, tenantId, deploymentId)
  if (deployment === undefined) throw notFound('Deployment', deploymentId)
  const gone = new Set(await deleteInstances(transaction, tenantId, deploymentId, removed))
  const unknown = removed.find((id) => !gone.has(id))
  if (unknown !== undefined) throw notFound('NodeInstance', unknown, { deployment_id: deploymentId })

  if (added.length > 0) {
    const total = deployment.instances - gone.size + added.length
    if (total > PLANNING_LIMITS.instances) {
      throw badParameter(
        `Deployment ${deploymentId} would have ${total} node instances, more than ${PLANNING_LIMITS.instances}`,
      )
    }
    const lastIndexes = await readLastIndexes(transaction, tenantId, deploymentId)
    const stray = added.find(({ node_id }) => !lastIndexes.has(node_id))
    if (stray !== undefined) throw notFound('Node', stray.node_id, { deployment_id: deploymentId })
    await checkFree(
      transaction,
      deployment,
      added.map(({ id }) => id),
    )
    const owner = { ...deployment, deploymentId }
    for (const part of inParts(withIndexes(added, lastIndexes)))
      await insertInstances(transaction, owner, part)
  }

  const wired = new Set(await rewireInstances(transaction, tenantId, deploymentId, rewired))
  const absent = rewired.find(({ id }) => !wired.has(id))
  if (absent !== undefined) throw notFound('NodeInstance', absent.id, { deployment_id: deploymentId })
  await checkTargets(transaction, { tenantId, deploymentId }, [...added, ...rewired])
}

/** Relationships lead to instances that are there afterwards, of the node that they name. @throws not_found_error */
async function checkTargets(
  transaction: Transaction,
  { tenantId, deploymentId }: { readonly tenantId: number; readonly deploymentId: string },
  sources: readonly Pick<RewiredNodeInstance, 'relationships'>[],
): Promise<void> {
  const targets = new Map<string, string>()
  for (const { relationships } of sources) {
    for (const { target_id, target_name } of relationships) {
      if ((targets.get(target_id) ?? target_name) !== target_name) throw notFound('NodeInstance', target_id)
      targets.set(target_id, target_name)
    }
  }
  const nodes = await readNodesOf(transaction, tenantId, deploymentId, [...targets.keys()])
  for (const [id, name] of targets) {
    if (nodes.get(id) !== name) {
      throw notFound('NodeInstance', id, { deployment_id: deploymentId, node_id: name })
    }
  }
}

/** @throws conflict_error */
async function checkFree(
  transaction: Transaction,
  { tenant_id, tenant_name }: { readonly tenant_id: number; readonly tenant_name: string },
  ids: readonly string[],
): Promise<void> {
  const taken = await takenInstanceIds(transaction, tenant_id, ids)
  const seen = new Set(taken)
  for (const id of ids) {
    if (seen.has(id)) throw duplicate('NodeInstance', id, tenant_name)
    seen.add(id)
  }
}
