import type { PlanNode } from '@tutti/dsl'

/** The plugin of components, shared resources, uploaded blueprints and generated passwords. */
const unbuilt = 'cfy_extensions'

/**
 * Why no deployment can be made of a plan, else undefined: one of its nodes, or of their relationships, does what this
 * release has not built. A type that is derived from such a type and does everything by scripts is none of these.
 */
export function unbuiltNode(nodes: readonly PlanNode[]): string | undefined {
  for (const { id, type, operations, relationships } of nodes) {
    if (isUnbuilt(operations)) {
      return `Node ${id} is of type ${type}, which this release cannot run: components, shared resources, blueprints and generated passwords as nodes are not built yet`
    }
    for (const one of relationships) {
      if (!isUnbuilt(one.source_operations) && !isUnbuilt(one.target_operations)) continue
      return `Node ${id} has a relationship of type ${one.type}, which this release cannot run: shared resources are not built yet`
    }
  }
  return undefined
}

const isUnbuilt = (operations: PlanNode['operations']): boolean =>
  Object.values(operations).some(({ plugin }) => plugin === unbuilt)
