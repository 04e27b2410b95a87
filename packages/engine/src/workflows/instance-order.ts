import { type BuildScope, relationshipsOf } from '../build-scope.ts'
import type { PlanEdge } from '../step.ts'
import { each, type Work } from '../work.ts'

/**
 * Which instances an instance waits for (docs/reference/workflows.md, "Order between instances"): `targets-first` is
 * the order of an installation, `sources-first` that of an uninstallation.
 */
export function* instanceOrder(
  scope: BuildScope,
  direction: 'targets-first' | 'sources-first',
): Work<ReadonlyMap<string, readonly PlanEdge[]>> {
  const order = new Map<string, PlanEdge[]>()
  yield* each(scope.instances.values(), (source) => {
    for (const { instance, declared } of relationshipsOf(scope, source)) {
      const target = instance.target_id
      const [waiting, key] = direction === 'targets-first' ? [source.id, target] : [target, source.id]
      const edges = order.get(waiting) ?? []
      edges.push({ key, ...afterOperation(declared.properties.operation) })
      order.set(waiting, edges)
    }
  })
  return order
}

/** A relationship with a property `operation` orders by that operation only. */
function afterOperation(operation: unknown): { readonly afterOperation?: string } {
  if (typeof operation !== 'string' || operation === '') return {}
  return { afterOperation: `cloudify.interfaces.lifecycle.${operation}` }
}
