import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PlannedNodeInstance } from '../index.ts'
import { expand, idMaker, refuseTooMany } from './expand.ts'
import { modifyNodeInstances } from './modify.ts'
import { type TopologyNode, topologyOf } from './topology.ts'
import { wiredInstances } from './wire.ts'

const DEPENDS = 'cloudify.relationships.depends_on'
const CONTAINED = 'cloudify.relationships.contained_in'

type Wanted = { readonly [node: string]: readonly (readonly [kind: 'in' | 'to' | 'one', target: string])[] }

function nodesOf(wanted: Wanted, hosts: readonly string[] = []): readonly TopologyNode[] {
  return Object.entries(wanted).map(([id, edges]) => ({
    id,
    type_hierarchy: [],
    ...(hosts.includes(id) ? { host_id: id } : {}),
    relationships: edges.map(([kind, target]) => ({
      type: kind === 'in' ? CONTAINED : DEPENDS,
      target_id: target,
      type_hierarchy: kind === 'in' ? [DEPENDS, CONTAINED] : [DEPENDS],
      properties: { connection_type: kind === 'one' ? 'all_to_one' : 'all_to_all' },
    })),
  }))
}

type Groups = { readonly [name: string]: { readonly members: readonly string[] } }
type Numbers = { readonly [name: string]: number }

function counter(): () => string {
  let next = 0
  return () => (next++).toString(36).padStart(6, '0')
}

function instancesOf(
  nodes: readonly TopologyNode[],
  groups: Groups,
  numbers: Numbers,
): readonly PlannedNodeInstance[] {
  const topology = topologyOf(nodes, groups)
  const tree = expand({
    topology,
    plan: (name) => ({ kept: [], total: numbers[name] ?? 1 }),
    oldUnder: () => [],
    newId: idMaker(counter(), []),
  })
  return wiredInstances(topology, tree)
}

function countBy(instances: readonly PlannedNodeInstance[]): Numbers {
  const counts: { [node: string]: number } = {}
  for (const { node_id: node } of instances) counts[node] = (counts[node] ?? 0) + 1
  return counts
}

test('numbers of containers and groups multiply', () => {
  const nodes = nodesOf({ vm: [], app: [['in', 'vm']] }, ['vm'])
  const instances = instancesOf(
    nodes,
    { gg: { members: ['vm'] }, g: { members: ['app'] } },
    { vm: 1, app: 2, gg: 2, g: 3 },
  )
  expect(countBy(instances)).toEqual({ vm: 2, app: 12 })
  expect(
    instances
      .filter(({ node_id }) => node_id === 'app')
      .every(({ scaling_groups }) => scaling_groups?.length === 1),
  ).toBe(true)
})

test('all_to_all connects everything, all_to_one everything to the first', () => {
  const all = instancesOf(nodesOf({ app: [['to', 'db']], db: [] }), {}, { app: 2, db: 2 })
  expect(all.flatMap(({ relationships }) => relationships)).toHaveLength(4)
  const one = instancesOf(nodesOf({ app: [['one', 'db']], db: [] }), {}, { app: 2, db: 2 })
  expect(new Set(one.flatMap(({ relationships }) => relationships.map((r) => r.target_id))).size).toBe(1)
})

test('within a scaling group only what stands in the same copy is connected', () => {
  const groups = { g: { members: ['app', 'db'] } }
  const instances = instancesOf(nodesOf({ app: [['to', 'db']], db: [] }), groups, { g: 2 })
  expect(instances.flatMap(({ relationships }) => relationships)).toHaveLength(2)
  expect(() => instancesOf(nodesOf({ app: [['one', 'db']], db: [] }), groups, { g: 2 })).toThrow(/all_to_one/)
})

test('the host of an instance is the outermost one', () => {
  const instances = instancesOf(
    nodesOf({ outer: [], inner: [['in', 'outer']], app: [['in', 'inner']] }, ['outer', 'inner']),
    {},
    {},
  )
  const outer = instances.find(({ node_id }) => node_id === 'outer')?.id
  expect(instances.map(({ host_id }) => host_id)).toEqual([outer, outer, outer])
})

test('numbers that multiply beyond reason are refused', () => {
  const nodes = nodesOf({ a: [], b: [['in', 'a']], c: [['in', 'b']] })
  expect(() => refuseTooMany(topologyOf(nodes, {}), () => 1000, 1_000_000)).toThrow(/more than/)
})

test('the example of docs/reference/plan.md, "Scaling": scaling a host out and in again', () => {
  const nodes = nodesOf({
    h: [],
    a: [
      ['in', 'h'],
      ['to', 'db'],
    ],
    x: [['to', 'a']],
    db: [],
  })
  const before = instancesOf(nodes, {}, {})
  const random = counter()
  const out = modifyNodeInstances({
    nodes,
    instances: { h: 1, a: 1, x: 1, db: 1 },
    previousInstances: before,
    scalingGroups: {},
    modified: { h: { instances: 2 } },
    randomId: () => `n${random().slice(1)}`,
  })
  const shown = (
    list: readonly {
      readonly node_id: string
      readonly modification?: string
      readonly relationships: readonly unknown[]
    }[],
  ): unknown =>
    list
      .map(({ node_id, modification, relationships }) => [
        node_id,
        modification ?? 'related',
        relationships.length,
      ])
      .sort()
  expect(shown(out.added_and_related)).toEqual([
    ['a', 'added', 2],
    ['db', 'related', 0],
    ['h', 'added', 0],
    ['x', 'related', 1],
  ])
  expect(shown(out.extended_and_related)).toEqual([['x', 'extended', 1]])
  expect([out.removed_and_related, out.reduced_and_related]).toEqual([[], []])
})

/** Forests of containment with connections that go from later to earlier nodes, and disjoint scaling groups of roots. */
const deployments = fc
  .array(
    fc.record({
      container: fc.option(fc.nat(9), { nil: null }),
      targets: fc.uniqueArray(fc.nat(9), { maxLength: 3 }),
      one: fc.boolean(),
      count: fc.integer({ min: 0, max: 3 }),
      group: fc.option(fc.nat(1), { nil: null }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((rows) => {
    const wanted: { [node: string]: ['in' | 'to' | 'one', string][] } = {}
    const numbers: { [name: string]: number } = { g0: 2, g1: 1 }
    const members: { [group: string]: string[] } = { g0: [], g1: [] }
    for (const [index, { container, targets, count, group }] of rows.entries()) {
      const edges: ['in' | 'to' | 'one', string][] = []
      if (container !== null && container < index) edges.push(['in', `n${container}`])
      for (const target of targets) {
        if (target < index && target !== container) edges.push(['to', `n${target}`])
      }
      wanted[`n${index}`] = edges
      numbers[`n${index}`] = count
      if (group !== null && edges.every(([kind]) => kind !== 'in')) members[`g${group}`]?.push(`n${index}`)
    }
    const groups: { [name: string]: { members: string[] } } = {}
    for (const [name, list] of Object.entries(members)) if (list.length > 0) groups[name] = { members: list }
    return { nodes: nodesOf(wanted), groups, numbers }
  })

test('every instance has one container, every edge an end, and numbers are products', () => {
  fc.assert(
    fc.property(deployments, ({ nodes, groups, numbers }) => {
      const instances = instancesOf(nodes, groups, numbers)
      const ids = new Set(instances.map(({ id }) => id))
      expect(ids.size).toBe(instances.length)
      const topology = topologyOf(nodes, groups)
      const counts = countBy(instances)
      for (const { id } of nodes) {
        let product = numbers[id] ?? 1
        for (let at = topology.parentOf(id); at !== undefined; at = topology.parentOf(at))
          product *= numbers[at] ?? 1
        expect(counts[id] ?? 0).toBe(product)
      }
      for (const instance of instances) {
        for (const { target_id } of instance.relationships) expect(ids.has(target_id)).toBe(true)
        const containers = instance.relationships.filter(({ type }) => type === CONTAINED)
        expect(containers.length).toBe(
          nodes.find(({ id }) => id === instance.node_id)?.relationships.filter((r) => r.type === CONTAINED)
            .length,
        )
      }
    }),
  )
})

test('modifying nothing changes nothing, and scaling in takes back what scaling out added', () => {
  fc.assert(
    fc.property(deployments, fc.nat(7), ({ nodes, groups, numbers }, pick) => {
      const before = instancesOf(nodes, groups, numbers)
      const random = counter()
      const request = {
        nodes,
        instances: numbers,
        scalingGroups: groups,
        randomId: () => `z${random().slice(1)}`,
      }
      const none = modifyNodeInstances({ ...request, previousInstances: before, modified: {} })
      expect(Object.values(none).flat()).toEqual([])

      const scaled = nodes[pick % nodes.length]?.id ?? ''
      const number = numbers[scaled] ?? 0
      const out = modifyNodeInstances({
        ...request,
        previousInstances: before,
        modified: { [scaled]: { instances: number + 1 } },
      })
      const added = out.added_and_related.filter(({ modification }) => modification === 'added')
      expect(out.removed_and_related).toEqual([])
      const after = applied(before, added, out.extended_and_related)
      const back = modifyNodeInstances({
        ...request,
        previousInstances: after,
        modified: { [scaled]: { instances: number, removed_ids_include_hint: added.map(({ id }) => id) } },
      })
      expect(back.added_and_related).toEqual([])
      const removed = back.removed_and_related.filter(({ modification }) => modification === 'removed')
      expect(removed.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort())
    }),
  )
})

/** The instances after an addition, as the manager stores them. */
function applied(
  before: readonly PlannedNodeInstance[],
  added: readonly PlannedNodeInstance[],
  extended: readonly PlannedNodeInstance[],
): readonly PlannedNodeInstance[] {
  const more = new Map(extended.map((instance) => [instance.id, instance.relationships]))
  return [
    ...before.map((instance) => ({
      ...instance,
      relationships: [...instance.relationships, ...(more.get(instance.id) ?? [])],
    })),
    ...added,
  ]
}
