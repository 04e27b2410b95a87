import { DslError } from '../diagnostic.ts'
import type { Json } from '../json.ts'

const CONTAINED_IN = 'cloudify.relationships.contained_in'
const KNOWN_ROOTS = [CONTAINED_IN, 'cloudify.relationships.connected_to', 'cloudify.relationships.depends_on']

/** What instances are made from: nodes of a plan, or as the manager stored them. */
export type TopologyNode = {
  readonly id: string
  readonly type_hierarchy: readonly string[]
  readonly host_id?: string | null
  readonly relationships: readonly {
    readonly type: string
    readonly target_id: string
    readonly type_hierarchy: readonly string[]
    readonly properties: { readonly [name: string]: Json }
  }[]
}

/** Scaling groups by name; a member is a node or a group. */
export type TopologyGroups = { readonly [name: string]: { readonly members: readonly string[] } }

/**
 * Containers, nodes and scaling groups as one forest (docs/reference/plan.md, "Node instances"). Nodes and groups never
 * share a name.
 */
export type Topology = {
  readonly nodes: ReadonlyMap<string, TopologyNode>
  readonly isGroup: (name: string) => boolean
  /** Nodes and groups that stand in nothing, in the order of the plan. */
  readonly roots: readonly string[]
  readonly childrenOf: (name: string) => readonly string[]
  /** What it stands in directly. */
  readonly parentOf: (name: string) => string | undefined
  /** Scaling groups above, through containers too, innermost first. */
  readonly groupsAbove: (name: string) => readonly string[]
  /**
   * The relationships that are instantiated: of two to one target the last (docs/reference/plan.md, "Node instances").
   */
  readonly edgesOf: (node: string) => readonly Edge[]
}

export type Edge = {
  readonly type: string
  readonly target: string
  readonly kind: 'contained' | 'all_to_all' | 'all_to_one'
}

export function topologyOf(
  nodes: readonly TopologyNode[],
  scaling: TopologyGroups,
  groups: TopologyGroups = {},
): Topology {
  const byName = new Map(nodes.map((node) => [node.id, node]))
  const edges = new Map(nodes.map((node) => [node.id, edgesOf(node)]))
  const parents = parentsOf(byName, edges, groupOfMembers(scaling, groups))
  const children = new Map<string, string[]>()
  for (const [name, parent] of parents) {
    const siblings = children.get(parent) ?? []
    siblings.push(name)
    children.set(parent, siblings)
  }
  const isGroup = (name: string): boolean => Object.hasOwn(scaling, name)
  const roots = [...byName.keys(), ...Object.keys(scaling)].filter((name) => !parents.has(name))
  const groupsAbove = new Map<string, readonly string[]>(roots.map((name) => [name, []]))
  const work = [...roots]
  for (let name = work.pop(); name !== undefined; name = work.pop()) {
    const around = groupsAbove.get(name) ?? []
    const within = isGroup(name) ? [name, ...around] : around
    for (const child of children.get(name) ?? []) {
      groupsAbove.set(child, within)
      work.push(child)
    }
  }
  return {
    nodes: byName,
    isGroup,
    roots,
    childrenOf: (name) => children.get(name) ?? [],
    parentOf: (name) => parents.get(name),
    groupsAbove: (name) => groupsAbove.get(name) ?? [],
    edgesOf: (name) => edges.get(name) ?? [],
  }
}

/** Plain groups within plain groups. */
const MAX_NESTED_GROUPS = 200

/** Member → its scaling group. A member that is a group without a policy stands for its own members. */
function groupOfMembers(scaling: TopologyGroups, groups: TopologyGroups): ReadonlyMap<string, string> {
  const groupOf = new Map<string, string>()
  const add = (member: string, group: string, seen: readonly string[]): void => {
    if (Object.hasOwn(scaling, member) || !Object.hasOwn(groups, member)) groupOf.set(member, group)
    else if (!seen.includes(member) && seen.length < MAX_NESTED_GROUPS) {
      for (const inner of groups[member]?.members ?? []) add(inner, group, [...seen, member])
    }
  }
  for (const [name, { members }] of Object.entries(scaling))
    for (const member of members) add(member, name, [])
  return groupOf
}

/**
 * Name → what it stands in. A member stands in its group; the outermost group stands in what contains its
 * members, the innermost such container where there are several one within the other.
 */
function parentsOf(
  nodes: ReadonlyMap<string, TopologyNode>,
  edges: ReadonlyMap<string, readonly Edge[]>,
  groupOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const containerOf = (name: string): string | undefined =>
    edges.get(name)?.find(({ kind }) => kind === 'contained')?.target
  const depth = (name: string): number => {
    let count = 0
    for (let at = containerOf(name); at !== undefined && count <= nodes.size; at = containerOf(at)) count += 1
    return count
  }
  const parents = new Map<string, string>(groupOf)
  for (const name of nodes.keys()) {
    const container = containerOf(name)
    if (container === undefined) continue
    let top = name
    const seen = new Set<string>()
    for (let group = groupOf.get(top); group !== undefined && !seen.has(group); group = groupOf.get(top)) {
      seen.add(group)
      top = group
    }
    // A container that is itself in the group would make a circle: its content is a member already.
    if (top !== name && isWithin(container, top, groupOf, containerOf)) continue
    const before = parents.get(top)
    if (before === undefined || depth(container) > depth(before)) parents.set(top, container)
  }
  return parents
}

function isWithin(
  name: string,
  group: string,
  groupOf: ReadonlyMap<string, string>,
  containerOf: (name: string) => string | undefined,
): boolean {
  const seen = new Set<string>()
  for (
    let at: string | undefined = name;
    at !== undefined && !seen.has(at);
    at = groupOf.get(at) ?? containerOf(at)
  ) {
    if (at === group) return true
    seen.add(at)
  }
  return false
}

function edgesOf(node: TopologyNode): readonly Edge[] {
  const byTarget = new Map<string, Edge>()
  for (const relationship of node.relationships) {
    const { type, target_id: target, type_hierarchy: hierarchy } = relationship
    byTarget.delete(target)
    byTarget.set(target, { type, target, kind: kindOf(node, hierarchy, relationship.properties) })
  }
  return [...byTarget.values()]
}

function kindOf(
  node: TopologyNode,
  hierarchy: readonly string[],
  properties: { readonly [name: string]: Json },
): Edge['kind'] {
  if (!KNOWN_ROOTS.some((root) => hierarchy.includes(root))) {
    throw new DslError(
      'UnsupportedRelationship',
      `The relationship type ${hierarchy.at(-1)} of node '${node.id}' is not derived from ${KNOWN_ROOTS.join(', ')}.`,
    )
  }
  if (hierarchy.includes(CONTAINED_IN)) return 'contained'
  const connection = Object.hasOwn(properties, 'connection_type') ? properties.connection_type : 'all_to_all'
  if (connection === 'all_to_all' || connection === 'all_to_one') return connection
  throw new DslError(
    'IllegalConnectedToConnectionType',
    `The connection_type of a relationship of node '${node.id}' is ${JSON.stringify(connection)}, but must be all_to_all or all_to_one.`,
  )
}
