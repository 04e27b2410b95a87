import { PLANNING_LIMITS } from '../functions/budget.ts'
import type { InstanceRelationship, PlannedNodeInstance } from '../plan/plan.ts'
import { expand, idMaker, refuseTooMany } from './expand.ts'
import { oldTreeOf } from './old-tree.ts'
import { type TopologyGroups, type TopologyNode, topologyOf } from './topology.ts'
import { wiredInstances } from './wire.ts'

/** What a modification starts from (docs/reference/plan.md, "Scaling"). */
export type ModificationRequest = {
  /** Nodes as they shall be. */
  readonly nodes: readonly TopologyNode[]
  /** Stored numbers of nodes and scaling groups: those not in `modified` are filled up to them, never reduced. */
  readonly instances: { readonly [nodeOrGroup: string]: number }
  readonly previousInstances: readonly PlannedNodeInstance[]
  readonly scalingGroups: TopologyGroups
  /** Plain groups, for members of scaling groups that are one. */
  readonly groups?: TopologyGroups
  readonly modified: { readonly [nodeOrGroup: string]: ModifiedNumber }
  readonly randomId: () => string
}

export type ModifiedNumber = {
  /** Wanted number for each copy of the parent; no total and no delta. */
  readonly instances: number
  readonly removed_ids_include_hint?: readonly string[]
  readonly removed_ids_exclude_hint?: readonly string[]
}

/** docs/reference/plan.md, "Scaling" */
export type Modification = {
  readonly added_and_related: readonly ModifiedInstance[]
  readonly removed_and_related: readonly ModifiedInstance[]
  readonly extended_and_related: readonly ModifiedInstance[]
  readonly reduced_and_related: readonly ModifiedInstance[]
}

export interface ModifiedInstance extends PlannedNodeInstance {
  /** Absent on instances that are only related to one that is marked. */
  readonly modification?: 'added' | 'removed' | 'extended' | 'reduced'
}

/**
 * The instances after scaling, against those before (docs/reference/plan.md, "Scaling"). Throws `DslError`, and
 * `BudgetExceeded` when there would be more than `most`.
 */
export function modifyNodeInstances(
  request: ModificationRequest,
  most = PLANNING_LIMITS.instances,
): Modification {
  const { previousInstances: previous } = request
  const topology = topologyOf(request.nodes, request.scalingGroups, request.groups)
  refuseTooMany(topology, (name) => wantedOf(request, name)?.instances ?? numberOf(request, name), most)
  const old = oldTreeOf(topology, previous)
  const used = usedTargetsOf(previous)
  const protectedIds = new Set<string>()
  for (const node of request.nodes) {
    for (const edge of topology.edgesOf(node.id)) {
      if (edge.kind === 'all_to_one') for (const id of used(node.id, edge.target)) protectedIds.add(id)
    }
  }
  const hintsOf = hintsBy(request, old.standInFor)
  const tree = expand({
    topology,
    oldUnder: old.under,
    newId: idMaker(request.randomId, old.ids),
    plan: (name, ids) => {
      const wanted = wantedOf(request, name)
      if (wanted === undefined) return { kept: ids, total: Math.max(ids.length, numberOf(request, name)) }
      const kept = withoutDropped(ids, ids.length - wanted.instances, hintsOf(name), protectedIds)
      return { kept, total: wanted.instances }
    },
  })
  return differences(previous, wiredInstances(topology, tree, used))
}

const wantedOf = ({ modified }: ModificationRequest, name: string): ModifiedNumber | undefined =>
  Object.hasOwn(modified, name) ? modified[name] : undefined

function numberOf(request: ModificationRequest, name: string): number {
  return Object.hasOwn(request.instances, name) ? (request.instances[name] ?? 0) : 0
}

type Hints = { readonly include: ReadonlySet<string>; readonly exclude: ReadonlySet<string> }

/** Made once for each name: it has as many copies as what contains it, and hints may be as many as instances. */
function hintsBy(
  request: ModificationRequest,
  standInFor: (id: string, name: string) => string,
): (name: string) => Hints {
  const known = new Map<string, Hints>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const wanted = wantedOf(request, name)
    const standIns = (ids: readonly string[] = []) => new Set(ids.map((id) => standInFor(id, name)))
    const hints = {
      include: standIns(wanted?.removed_ids_include_hint),
      exclude: standIns(wanted?.removed_ids_exclude_hint),
    }
    known.set(name, hints)
    return hints
  }
}

/**
 * docs/reference/plan.md, "Scaling": hinted ones first, spared ones last, the target of an all_to_one connection never.
 */
function withoutDropped(
  ids: readonly string[],
  surplus: number,
  { include, exclude }: Hints,
  protectedIds: ReadonlySet<string>,
): readonly string[] {
  if (surplus <= 0) return ids
  const free = ids.filter((id) => !protectedIds.has(id))
  const hinted = free.filter((id) => include.has(id))
  const plain = free.filter((id) => !include.has(id) && !exclude.has(id))
  const spared = free.filter((id) => !include.has(id) && exclude.has(id))
  const dropped = new Set([...hinted, ...plain.toReversed(), ...spared.toReversed()].slice(0, surplus))
  return ids.filter((id) => !dropped.has(id))
}

function usedTargetsOf(
  previous: readonly PlannedNodeInstance[],
): (source: string, target: string) => ReadonlySet<string> {
  const used = new Map<string, Set<string>>()
  for (const { node_id: source, relationships } of previous) {
    for (const { target_name: target, target_id: id } of relationships) {
      const key = `${source}\n${target}`
      const ids = used.get(key) ?? new Set()
      ids.add(id)
      used.set(key, ids)
    }
  }
  return (source, target) => used.get(`${source}\n${target}`) ?? new Set()
}

function differences(
  previous: readonly PlannedNodeInstance[],
  next: readonly PlannedNodeInstance[],
): Modification {
  const before = new Map(previous.map((instance) => [instance.id, instance]))
  const after = new Map(next.map((instance) => [instance.id, instance]))
  const added = next.filter(({ id }) => !before.has(id))
  const removed = previous.filter(({ id }) => !after.has(id))
  const gained = (instance: PlannedNodeInstance): readonly InstanceRelationship[] =>
    edgesBeyond(instance, before.get(instance.id))
  const lost = (instance: PlannedNodeInstance): readonly InstanceRelationship[] =>
    edgesBeyond(instance, after.get(instance.id))
  const stayedNow = next.filter(({ id }) => before.has(id))
  const stayedBefore = previous.filter(({ id }) => after.has(id))
  return {
    added_and_related: wholeAndRelated(added, stayedNow, 'added'),
    removed_and_related: wholeAndRelated(removed, stayedBefore, 'removed'),
    extended_and_related: changedAndRelated(stayedNow, gained, 'extended'),
    reduced_and_related: changedAndRelated(stayedBefore, lost, 'reduced'),
  }
}

function edgesBeyond(
  instance: PlannedNodeInstance,
  other: PlannedNodeInstance | undefined,
): readonly InstanceRelationship[] {
  const known = new Set((other?.relationships ?? []).map(edgeKey))
  return instance.relationships.filter((edge) => !known.has(edgeKey(edge)))
}

function edgeKey({ type, target_id }: InstanceRelationship): string {
  return `${type}\n${target_id}`
}

/** Instances that come or go, with all their edges, and those at the other end with only these edges. */
function wholeAndRelated(
  whole: readonly PlannedNodeInstance[],
  others: readonly PlannedNodeInstance[],
  modification: 'added' | 'removed',
): readonly ModifiedInstance[] {
  const ids = new Set(whole.map(({ id }) => id))
  const targets = new Set(whole.flatMap(({ relationships }) => relationships.map((edge) => edge.target_id)))
  const related = others.flatMap((instance): ModifiedInstance[] => {
    const relationships = instance.relationships.filter((edge) => ids.has(edge.target_id))
    return relationships.length > 0 || targets.has(instance.id) ? [{ ...instance, relationships }] : []
  })
  return [...whole.map((instance) => ({ ...instance, modification })), ...related]
}

/** Surviving instances with the edges that changed, and the surviving targets of these. */
function changedAndRelated(
  survivors: readonly PlannedNodeInstance[],
  changed: (instance: PlannedNodeInstance) => readonly InstanceRelationship[],
  modification: 'extended' | 'reduced',
): readonly ModifiedInstance[] {
  const marked = new Map<string, ModifiedInstance>()
  const targets = new Set<string>()
  for (const instance of survivors) {
    const relationships = changed(instance)
    if (relationships.length === 0) continue
    marked.set(instance.id, { ...instance, relationships, modification })
    for (const edge of relationships) targets.add(edge.target_id)
  }
  const related = survivors
    .filter(({ id }) => targets.has(id) && !marked.has(id))
    .map((instance) => ({ ...instance, relationships: [] }))
  return [...marked.values(), ...related]
}
