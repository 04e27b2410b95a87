import { DslError } from '../diagnostic.ts'
import type { InstanceRelationship, PlannedNodeInstance } from '../plan/plan.ts'
import { type Copy, copyAbove, groupsAround, type InstanceTree } from './instance-tree.ts'
import type { Edge, Topology } from './topology.ts'

/** Relationships of all instances of one node; more would fill the memory. */
const MOST_EDGES = 2_000_000

/** Targets in use already, for `all_to_one` (docs/reference/plan.md, "Scaling"): ids by `source node → target node`. */
export type UsedTargets = (source: string, target: string) => ReadonlySet<string>

/** The node copies of a tree as instances, with their relationships (docs/reference/plan.md, "Node instances"). */
export function wiredInstances(
  topology: Topology,
  tree: InstanceTree,
  usedTargets: UsedTargets = () => new Set(),
): readonly PlannedNodeInstance[] {
  const links = new Map<string, (copy: Copy) => readonly InstanceRelationship[]>()
  for (const name of topology.nodes.keys()) links.set(name, linksOf(topology, tree, name, usedTargets))
  return tree.copies
    .filter((copy) => !copy.isGroup)
    .map((copy) => {
      const host = hostOf(topology, copy)
      const groups = groupsAround(copy)
      return {
        name: copy.name,
        node_id: copy.name,
        id: copy.id,
        ...(host === null ? {} : { host_id: host }),
        relationships: links.get(copy.name)?.(copy) ?? [],
        ...(groups.length === 0 ? {} : { scaling_groups: groups.map(({ name, id }) => ({ name, id })) }),
      }
    })
}

/** The outermost host above, or itself [Q]. */
function hostOf(topology: Topology, copy: Copy): string | null {
  let host: string | null = null
  for (let at: Copy | null = copy; at !== null; at = at.parent) {
    if (topology.nodes.get(at.name)?.host_id === at.name) host = at.id
  }
  return host
}

/** The relationships of each copy of a node, in the template's order. */
function linksOf(
  topology: Topology,
  tree: InstanceTree,
  source: string,
  usedTargets: UsedTargets,
): (copy: Copy) => readonly InstanceRelationship[] {
  let edges = 0
  const finders = topology.edgesOf(source).map((edge) => ({
    edge,
    targets: targetsOf(topology, tree, source, edge, usedTargets),
  }))
  return (copy) =>
    finders.flatMap(({ edge, targets }) => {
      const found = targets(copy)
      edges += found.length
      if (edges > MOST_EDGES) {
        throw new DslError(
          'ValueError',
          `The instances of '${source}' have more than ${MOST_EDGES} relationships.`,
        )
      }
      return found.map((target) => ({ type: edge.type, target_name: edge.target, target_id: target.id }))
    })
}

type Targets = (copy: Copy) => readonly Copy[]

function targetsOf(
  topology: Topology,
  tree: InstanceTree,
  source: string,
  edge: Edge,
  usedTargets: UsedTargets,
): Targets {
  const all = tree.byNode.get(edge.target) ?? []
  if (edge.kind === 'contained') return containerTargets(all, edge)
  const shared = sharedGroup(topology, source, edge.target)
  if (edge.kind === 'all_to_all') {
    if (shared === null) return () => all
    const inCopy = new Map<string | undefined, Copy[]>()
    for (const target of all) {
      const group = copyAbove(target, shared)?.id
      const members = inCopy.get(group) ?? []
      members.push(target)
      inCopy.set(group, members)
    }
    return (copy) => inCopy.get(copyAbove(copy, shared)?.id) ?? []
  }
  if (shared !== null) {
    throw new DslError(
      'UnsupportedAllToOneInGroup',
      `'${source}' is connected all_to_one to '${edge.target}', but both are in the scaling group '${shared}'.`,
    )
  }
  const one = oneTarget(all, usedTargets(source, edge.target), source, edge.target)
  return () => (one === null ? [] : [one])
}

/** The container is above; where members of a group stand in different containers, the nearest copy is taken. */
function containerTargets(all: readonly Copy[], edge: Edge): Targets {
  return (copy) => {
    const above = copyAbove(copy, edge.target)
    if (above !== null) return [above]
    for (let at = copy.parent; at !== null; at = at.parent) {
      const around = at
      const near = all.find((candidate) => copyAbove(candidate, around.name)?.id === around.id)
      if (near !== undefined) return [near]
    }
    return all.slice(0, 1)
  }
}

/** The smallest scaling group that holds both, directly or through containers. */
function sharedGroup(topology: Topology, source: string, target: string): string | null {
  const around = topology.groupsAbove(target)
  return topology.groupsAbove(source).find((name) => around.includes(name)) ?? null
}

/** The target in use already, else the one with the lexicographically smallest id. */
function oneTarget(
  all: readonly Copy[],
  used: ReadonlySet<string>,
  source: string,
  target: string,
): Copy | null {
  if (used.size > 1) {
    throw new DslError(
      'IllegalAllToOneState',
      `'${source}' is connected all_to_one to '${target}', but to several instances of it: ${[...used].join(', ')}.`,
    )
  }
  const kept = all.find(({ id }) => used.has(id))
  if (kept !== undefined) return kept
  return all.reduce<Copy | null>((least, copy) => (least === null || copy.id < least.id ? copy : least), null)
}
