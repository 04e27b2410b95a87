import { ApiError, notFound } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import {
  changeNodeInstances,
  type InstanceRecord,
  lockDeploymentOf,
  readInstanceRecords,
  restoreInstances,
} from '../node-instances/index.ts'
import { currentCount, setCounts } from './counts.ts'
import { type ModificationRow, readModification, readScalable, updateModification } from './queries.ts'

type Named = { readonly tenantId: number; readonly deploymentId: string; readonly id: string }

/**
 * Ends a modification: the planned numbers hold, and what it was to remove is removed, with the relationships to it.
 *
 * @throws deployment_modification_already_ended_error, not_found_error
 */
export async function finishModification(transaction: Transaction, named: Named): Promise<void> {
  const { tenantId, deploymentId, id } = named
  const { modifiedNodes, nodeInstances } = await lockStarted(transaction, named)
  const scalable = await readScalable(transaction, tenantId, deploymentId)
  const counts = new Map(Object.entries(modifiedNodes).map(([name, { instances }]) => [name, instances]))
  await setCounts(transaction, named, scalable, 'current', counts)
  const removed = new Set(
    (nodeInstances.removed_and_related ?? [])
      .filter(({ modification }) => modification === 'removed')
      .map((instance) => String(instance.id)),
  )
  const lost = reducedEdges(nodeInstances)
  const present = await readInstanceRecords(transaction, tenantId, deploymentId)
  const staying = new Set(present.flatMap((instance) => (removed.has(instance.id) ? [] : [instance.id])))
  const isLost = (source: string, { type, target_id }: { type: string; target_id: string }) =>
    !staying.has(target_id) || lost.has(`${source}\n${type}\n${target_id}`)
  await changeNodeInstances(transaction, named, {
    added: [],
    rewired: present.flatMap(({ id: source, relationships }) => {
      if (removed.has(source)) return []
      const left = relationships.filter((edge) => !isLost(source, edge))
      return left.length === relationships.length ? [] : [{ id: source, relationships: left }]
    }),
    removed: present.flatMap((instance) => (removed.has(instance.id) ? [instance.id] : [])),
  })
  await updateModification(transaction, tenantId, id, { status: 'finished' })
}

/** Of instances that stay, the edges between each other that are no more. */
function reducedEdges({ reduced_and_related = [] }: ModificationRow['nodeInstances']): ReadonlySet<string> {
  return new Set(
    reduced_and_related.flatMap(({ id, relationships }) =>
      (relationships as InstanceRecord['relationships']).map(
        ({ type, target_id }) => `${String(id)}\n${type}\n${target_id}`,
      ),
    ),
  )
}

/**
 * Undoes a modification: instances that it added go, all others are again as they were before it, and so are the planned
 * numbers.
 *
 * @throws deployment_modification_already_ended_error, not_found_error
 */
export async function rollbackModification(transaction: Transaction, named: Named): Promise<void> {
  const { tenantId, deploymentId, id } = named
  const { modifiedNodes, nodeInstances } = await lockStarted(transaction, named)
  const scalable = await readScalable(transaction, tenantId, deploymentId)
  const counts = new Map(
    Object.keys(modifiedNodes).map((name) => [name, currentCount(scalable, name) ?? 0] as const),
  )
  await setCounts(transaction, named, scalable, 'planned', counts)
  const before = (nodeInstances.before_modification ?? []) as unknown as readonly InstanceRecord[]
  const known = new Set(before.map((instance) => instance.id))
  const present = await readInstanceRecords(transaction, tenantId, deploymentId)
  await changeNodeInstances(transaction, named, {
    added: [],
    rewired: [],
    removed: present.flatMap((instance) => (known.has(instance.id) ? [] : [instance.id])),
  })
  await restoreInstances(transaction, tenantId, deploymentId, before)
  await updateModification(transaction, tenantId, id, {
    status: 'rolledback',
    nodeInstances: { ...nodeInstances, before_rollback: present },
  })
}

/** Under the lock of its deployment, so that it ends once. */
async function lockStarted(
  transaction: Transaction,
  { tenantId, deploymentId, id }: Named,
): Promise<ModificationRow> {
  await lockDeploymentOf(transaction, tenantId, deploymentId)
  const modification = await readModification(transaction, tenantId, id)
  if (modification === undefined) throw notFound('DeploymentModification', id)
  if (modification.status === 'started') return modification
  throw new ApiError(
    'deployment_modification_already_ended_error',
    `Cannot end deployment modification: ${id}. It is already in ${modification.status} status.`,
  )
}
