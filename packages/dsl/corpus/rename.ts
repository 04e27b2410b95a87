import { isList, isObject, type Json, mapValues } from '../src/json.ts'

/**
 * A deployment plan whose instance ids are numbered by what they are, so that two plans with other random
 * characters compare equal. Instances that cannot be told apart keep an arbitrary order.
 */
export function renamedInstances(plan: Json): Json {
  if (!isObject(plan)) return plan
  const instances = plan.node_instances
  if (!isList(instances)) return plan
  const names = labels(instances)
  return renamed(plan, names)
}

/** Refines labels by the labels of neighbours until they no longer split. */
function labels(instances: readonly Json[]): ReadonlyMap<string, string> {
  let current = new Map<string, string>()
  const groups = new Map<string, string>()
  for (const instance of instances) {
    if (!isObject(instance)) continue
    current.set(String(instance.id), String(instance.node_id))
    for (const group of listOf(instance.scaling_groups)) {
      if (isObject(group)) groups.set(String(group.id), String(group.name))
    }
  }
  current = new Map([...groups, ...current])
  for (let round = 0; round < 6; round++) {
    const next = new Map<string, string>()
    const add = (id: string, text: string): void => {
      next.set(id, `${next.get(id) ?? current.get(id) ?? ''}|${text}`)
    }
    const texts: [string, string][] = []
    for (const instance of instances) {
      if (!isObject(instance)) continue
      const id = String(instance.id)
      const near = [
        current.get(String(instance.host_id)) ?? '',
        ...listOf(instance.relationships).map((r) =>
          isObject(r) ? (current.get(String(r.target_id)) ?? '') : '',
        ),
        ...listOf(instance.scaling_groups).map((g) => (isObject(g) ? (current.get(String(g.id)) ?? '') : '')),
      ]
      texts.push([id, near.join(',')])
      for (const r of listOf(instance.relationships)) {
        if (isObject(r)) texts.push([String(r.target_id), `<${current.get(id)}`])
      }
      for (const g of listOf(instance.scaling_groups)) {
        if (isObject(g)) texts.push([String(g.id), `<${current.get(id)}`])
      }
    }
    for (const [id, text] of texts.sort((a, b) => (a[1] < b[1] ? -1 : 1))) add(id, text)
    current = shortened(next, current)
  }
  const counters = new Map<string, number>()
  const result = new Map<string, string>()
  for (const [id, label] of [...current].sort((a, b) => (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0))) {
    const node = label.split('#')[0] ?? ''
    const index = counters.get(node) ?? 0
    counters.set(node, index + 1)
    result.set(id, `${node}_${index}`)
  }
  return result
}

function shortened(next: Map<string, string>, current: Map<string, string>): Map<string, string> {
  const order = [...new Set(next.values())].sort()
  const short = new Map(order.map((text, index) => [text, String(index).padStart(5, '0')]))
  return new Map(
    [...current].map(([id, label]) => [id, `${label.split('#')[0]}#${short.get(next.get(id) ?? '') ?? ''}`]),
  )
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : []
}

function renamed(value: Json, names: ReadonlyMap<string, string>, key = ''): Json {
  if (typeof value === 'string') return names.get(value) ?? value
  if (isList(value)) {
    const items = value.map((item) => renamed(item, names, key))
    return key === 'relationships' ? sortTargets(items) : items
  }
  return isObject(value) ? mapValues(value, (inner, name) => renamed(inner, names, name)) : value
}

/** Several targets of one relationship stand together in no particular order. */
function sortTargets(items: readonly Json[]): readonly Json[] {
  const keyed = items.map((item) => [isObject(item) ? `${item.type} ${item.target_name}` : '', item] as const)
  if (!items.every((item) => isObject(item) && 'target_name' in item)) return items
  const firsts = new Map<string, number>()
  for (const [index, [key]] of keyed.entries()) if (!firsts.has(key)) firsts.set(key, index)
  return [...keyed]
    .sort(([a, x], [b, y]) => {
      const order = (firsts.get(a) ?? 0) - (firsts.get(b) ?? 0)
      return order !== 0 ? order : JSON.stringify(x) < JSON.stringify(y) ? -1 : 1
    })
    .map(([, item]) => item)
}
