type ScalingGroups = {
  readonly [name: string]: {
    readonly members: readonly string[]
    readonly properties?: { readonly planned_instances?: unknown }
  }
}

/**
 * How many instances of a node are planned in all: its own number times that of every scaling group which holds the
 * node or its host, directly or through other groups (docs/reference/nodes-and-instances.md, "Nodes").
 */
export function scaledCount(
  planned: number,
  node: { readonly id: string; readonly hostId: string | null },
  groups: ScalingGroups,
): number {
  const holding = new Set<string>()
  const addHolders = (member: string) => {
    for (const [name, group] of Object.entries(groups)) {
      if (holding.has(name) || !group.members.includes(member)) continue
      holding.add(name)
      addHolders(name)
    }
  }
  addHolders(node.id)
  if (node.hostId !== null) addHolders(node.hostId)
  return [...holding].reduce((count, name) => {
    const factor = groups[name]?.properties?.planned_instances
    return typeof factor === 'number' ? count * factor : count
  }, planned)
}
