import type { PlannedNodeInstance } from '../plan/plan.ts'
import type { Topology } from './topology.ts'

/** Existing instances by where they stand, with the group instances that are known only from their members. */
export type OldTree = {
  readonly ids: ReadonlySet<string>
  /** Ids of `name` under a copy of its parent; null at the top. */
  readonly under: (name: string, parent: string | null) => readonly string[]
  /** A hint may name an instance within the group instance (or container) that is meant. */
  readonly standInFor: (id: string, name: string) => string
}

export function oldTreeOf(topology: Topology, instances: readonly PlannedNodeInstance[]): OldTree {
  const ids = new Set<string>()
  const under = new Map<string, Set<string>>()
  const parents = new Map<string, { readonly name: string; readonly parent: string | null }>()
  const stand = (name: string, id: string, parent: string | null): void => {
    ids.add(id)
    if (parents.has(id)) return
    parents.set(id, { name, parent })
    const key = `${name}\n${parent ?? ''}`
    const siblings = under.get(key) ?? new Set()
    siblings.add(id)
    under.set(key, siblings)
  }
  // Members that say where their group stands come before those that do not.
  for (const complete of [true, false]) {
    for (const instance of instances) {
      if (!topology.nodes.has(instance.node_id)) continue
      let id = instance.id
      let name = instance.node_id
      for (
        let parentName = topology.parentOf(name);
        parentName !== undefined;
        parentName = topology.parentOf(name)
      ) {
        const parent = parentId(topology, instance, parentName)
        if (parent === null && complete) break
        stand(name, id, parent)
        if (parent === null || !topology.isGroup(parentName)) break
        id = parent
        name = parentName
      }
      if (topology.parentOf(name) === undefined) stand(name, id, null)
    }
  }
  return {
    ids,
    under: (name, parent) => [...(under.get(`${name}\n${parent ?? ''}`) ?? [])],
    standInFor(id, name) {
      let at: string | null = id
      while (at !== null) {
        const place = parents.get(at)
        if (place === undefined || place.name === name) return at
        at = place.parent
      }
      return id
    },
  }
}

function parentId(topology: Topology, instance: PlannedNodeInstance, parentName: string): string | null {
  if (topology.isGroup(parentName)) {
    return instance.scaling_groups?.find(({ name }) => name === parentName)?.id ?? null
  }
  return instance.relationships.find(({ target_name }) => target_name === parentName)?.target_id ?? null
}
