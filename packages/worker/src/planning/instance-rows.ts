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

/**
 * Ids are unique in the tenant, not only in the deployment: the few that another deployment has already get a new
 * ending, wherever they are mentioned (docs/reference/plan.md, "What is stored").
 */
export async function withFreeIds(
  instances: Instances,
  findTaken: (ids: readonly string[]) => Promise<readonly string[]>,
  randomId: () => string,
): Promise<Instances> {
  let current = instances
  for (;;) {
    const taken: string[] = []
    for (const batch of batchesOf(current)) taken.push(...(await findTaken(batch.map(({ id }) => id))))
    if (taken.length === 0) return current
    const renamed = new Map(taken.map((id) => [id, `${id.slice(0, id.lastIndexOf('_'))}_${randomId()}`]))
    const rename = (id: string) => renamed.get(id) ?? id
    current = current.map((instance) => ({
      ...instance,
      id: rename(instance.id),
      ...(instance.host_id !== undefined && { host_id: rename(instance.host_id) }),
      relationships: instance.relationships.map((one) => ({ ...one, target_id: rename(one.target_id) })),
    }))
  }
}

function batchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  )
}
