import type { Transaction } from '@tutti/storage'
import { type ScalableCounts, setNodeCount, setScalingGroups } from './queries.ts'

type Owner = { readonly tenantId: number; readonly deploymentId: string }

/** The stored number of instances of a node or scaling group; undefined where there is no such thing. */
export function currentCount({ nodes, scalingGroups }: ScalableCounts, name: string): number | undefined {
  if (!Object.hasOwn(scalingGroups, name)) return nodes.get(name)?.current
  const current = scalingGroups[name]?.properties?.current_instances
  return typeof current === 'number' ? current : 0
}

/** Writes how many instances nodes and scaling groups have, or are planned to have, from now on. */
export async function setCounts(
  transaction: Transaction,
  owner: Owner,
  { scalingGroups }: ScalableCounts,
  which: 'current' | 'planned',
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const groups = { ...scalingGroups }
  let changesGroups = false
  for (const [name, count] of counts) {
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined
    if (group === undefined) {
      const column = which === 'current' ? 'number_of_instances' : 'planned_number_of_instances'
      await setNodeCount(transaction, owner, name, column, count)
    } else {
      groups[name] = { ...group, properties: { ...group.properties, [`${which}_instances`]: count } }
      changesGroups = true
    }
  }
  if (changesGroups) await setScalingGroups(transaction, owner.tenantId, owner.deploymentId, groups)
}
