import type { DeploymentPlan } from '@tutti/dsl'

type Instances = DeploymentPlan['node_instances']

/** Rows that are stored by one statement, and ids that are asked for by one question. */
const batchSize = 1_000

/**
 * Instances as they are stored, in batches of JSON text: a deployment may have a hundred thousand, and whoever stores
 * them serves others besides. An instance's index counts those of its node, from 1.
 */
export function instanceRows(instances: Instances): readonly string[] {
  const next = new Map<string, number>()
  const rows = instances.map(({ id, node_id, host_id = null, relationships, scaling_groups = [] }) => {
    const instance_index = (next.get(node_id) ?? 0) + 1
    next.set(node_id, instance_index)
    return { id, node_id, host_id, instance_index, relationships, scaling_groups }
  })
  return batchesOf(rows).map((batch) => JSON.stringify(batch))
}

function batchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  )
}
