import type { UpdateStep } from './step.ts'

const ACTIONS = { remove: 0, add: 1, modify: 2 } as const

/**
 * Removals, then additions, then changes. New nodes come before everything else that is added, dependencies
 * first; relationships go before the nodes that are removed (docs/reference/plan.md, "Updates").
 */
export function orderedSteps(steps: readonly UpdateStep[]): readonly UpdateStep[] {
  return [...steps].sort(
    (a, b) =>
      ACTIONS[a.action] - ACTIONS[b.action] || rank(a) - rank(b) || b.topology_order - a.topology_order,
  )
}

function rank({ action, entity_type: type }: UpdateStep): number {
  if (action === 'add') return type === 'node' ? 0 : 1
  if (action === 'remove') return type === 'relationship' ? 0 : type === 'node' ? 2 : 1
  return 0
}

type Ordered = {
  readonly id: string
  readonly relationships: readonly { readonly target_id: string }[]
}

/** Positions in a topological order of "node → target" over the given nodes only: a → b → c is 0, 1, 2. */
export function topologyOrder(nodes: readonly Ordered[]): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const finished: string[] = []
  const seen = new Set<string>()
  for (const { id: start } of nodes.toReversed()) {
    const work: { readonly id: string; readonly leave: boolean }[] = [{ id: start, leave: false }]
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      if (at.leave) {
        finished.push(at.id)
        continue
      }
      if (seen.has(at.id)) continue
      seen.add(at.id)
      work.push({ id: at.id, leave: true })
      for (const { target_id: target } of byId.get(at.id)?.relationships ?? []) {
        if (byId.has(target)) work.push({ id: target, leave: false })
      }
    }
  }
  return new Map(finished.toReversed().map((id, position) => [id, position]))
}
