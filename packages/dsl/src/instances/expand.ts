import { DslError } from '../diagnostic.ts'
import { BudgetExceeded } from '../functions/budget.ts'
import type { Copy, InstanceTree } from './instance-tree.ts'
import type { Topology } from './topology.ts'

export type Expansion = {
  readonly topology: Topology
  /**
   * Which old copies stay and how many there shall be, for a name under one copy of its parent. `old` are the
   * ids that stand there already.
   */
  readonly plan: (
    name: string,
    old: readonly string[],
  ) => { readonly kept: readonly string[]; readonly total: number }
  /** Ids of old copies of a name under a parent copy (null at the top). */
  readonly oldUnder: (name: string, parent: string | null) => readonly string[]
  readonly newId: (name: string) => string
}

/**
 * Copies of every node and group: as many under each copy of the parent as planned (docs/reference/plan.md, "Node
 * instances").
 */
export function expand(expansion: Expansion): InstanceTree {
  const { topology } = expansion
  const copies: Copy[] = []
  const byNode = new Map<string, Copy[]>()
  // A list of work instead of recursion: chains of containment may be long.
  const work: {
    readonly name: string
    readonly parent: Copy | null
    readonly id?: string
    readonly isOld?: boolean
  }[] = []
  const plan = (name: string, parent: Copy | null): void => {
    const old = parent === null || parent.isOld ? expansion.oldUnder(name, parent?.id ?? null) : []
    const { kept, total } = expansion.plan(name, old)
    const fresh = Math.max(0, total - kept.length)
    if (fresh > MOST_COPIES) {
      throw new DslError('ValueError', `'${name}' is to have ${total} instances, more than ${MOST_COPIES}.`)
    }
    const newIds = Array.from({ length: fresh }, () => expansion.newId(name))
    // Last in, first out: what shall come first is put on last.
    for (const id of newIds.toReversed()) work.push({ name, parent, id, isOld: false })
    for (const id of kept.toReversed()) work.push({ name, parent, id, isOld: true })
  }
  for (const name of topology.roots.toReversed()) work.push({ name, parent: null })
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { name, parent, id, isOld } = next
    if (id === undefined) {
      plan(name, parent)
      continue
    }
    if (copies.length >= MOST_COPIES) {
      throw new DslError('ValueError', `The deployment has more than ${MOST_COPIES} node instances.`)
    }
    const copy: Copy = { name, id, parent, isGroup: topology.isGroup(name), isOld: isOld === true }
    copies.push(copy)
    if (!copy.isGroup) {
      const siblings = byNode.get(name) ?? []
      siblings.push(copy)
      byNode.set(name, siblings)
    }
    for (const child of topology.childrenOf(name).toReversed()) work.push({ name: child, parent: copy })
  }
  return { copies, byNode }
}

/** Instances of one deployment: numbers of nested containers multiply. */
const MOST_COPIES = 1_000_000

/** Refuses what would be too many, before any is made. */
export function refuseTooMany(topology: Topology, numberOf: (name: string) => number, most: number): void {
  let copies = 0
  const work = topology.roots.map((name) => ({ name, parents: 1 }))
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { name, parents } = next
    const count = parents * numberOf(name)
    copies += count
    if (copies > most) throw new BudgetExceeded(`The deployment has more than ${most} node instances.`)
    for (const child of topology.childrenOf(name)) work.push({ name: child, parents: count })
  }
}

const MOST_IDS = 36 ** 6

/** Ids `NAME_abc123`, unique among those of the same name (docs/reference/plan.md, "Node instances"). */
export function idMaker(randomId: () => string, taken: Iterable<string>): (name: string) => string {
  const used = new Set(taken)
  const counts = new Map<string, number>()
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1
    if (count > MOST_IDS) throw new DslError('ValueError', `'${name}' has more than ${MOST_IDS} instances.`)
    counts.set(name, count)
    for (;;) {
      const id = `${name}_${randomId()}`
      if (used.has(id)) continue
      used.add(id)
      return id
    }
  }
}
