import { type BuildScope, relationshipsOf } from '../build-scope.ts'
import type { ModelNodeInstance } from '../model.ts'

const containedIn = 'cloudify.relationships.contained_in'

/** What contains an instance, and what it contains. */
export type Containment = {
  readonly hostOf: (instance: ModelNodeInstance) => ModelNodeInstance
  /** The instance and everything in it, however deep. */
  readonly within: (instance: ModelNodeInstance) => readonly ModelNodeInstance[]
}

export function containmentOf(scope: BuildScope): Containment {
  const containers = new Map<string, ModelNodeInstance>()
  const contents = new Map<string, ModelNodeInstance[]>()
  for (const instance of scope.instances.values()) {
    const edge = relationshipsOf(scope, instance).find(({ declared }) =>
      declared.type_hierarchy.includes(containedIn),
    )
    const container = edge && scope.instances.get(edge.instance.target_id)
    if (container === undefined) continue
    containers.set(instance.id, container)
    const content = contents.get(container.id)
    if (content === undefined) contents.set(container.id, [instance])
    else content.push(instance)
  }
  return {
    hostOf(instance) {
      const host = instance.host_id == null ? undefined : scope.instances.get(instance.host_id)
      return host ?? instance
    },
    within(instance) {
      const found = [instance]
      const seen = new Set([instance.id])
      for (const one of found) {
        for (const content of contents.get(one.id) ?? []) {
          if (seen.has(content.id)) continue
          seen.add(content.id)
          found.push(content)
        }
      }
      return found
    },
  }
}
