import type { JsonObject } from '../json-object.ts'
import { checkResults } from './checks.ts'

type Given = {
  readonly node_id: string
  readonly index?: number | null | undefined
  readonly system_properties?: JsonObject | null | undefined
}

/** New instances with the index that each has among those of its node, where none is given, and how its checks went. */
export function withIndexes<Instance extends Given>(
  instances: readonly Instance[],
  lastIndexes: ReadonlyMap<string, number>,
) {
  const next = new Map(lastIndexes)
  return instances.map((instance) => {
    const last = next.get(instance.node_id) ?? 0
    const index = instance.index ?? last + 1
    next.set(instance.node_id, Math.max(last, index))
    return { ...instance, index, ...checkResults(instance.system_properties ?? {}) }
  })
}
