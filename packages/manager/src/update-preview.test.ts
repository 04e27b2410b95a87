import { whatDisagrees } from '@tutti/domain/deployment-modifications'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../test/archives.ts'
import { startTestSystem, type TestSystem } from '../test/test-system.ts'

/** What the preview of an update says is what the update does: random blueprints, on a manager with a worker. */
let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.close())

type Sketch = {
  readonly isThere: boolean
  readonly size: number
  readonly deploy: number | null
  readonly isContained: boolean
  readonly links: readonly { readonly to: number; readonly type: string }[]
}

const sketches: fc.Arbitrary<readonly Sketch[]> = fc.array(
  fc.record({
    isThere: fc.boolean(),
    size: fc.integer({ min: 1, max: 2 }),
    deploy: fc.option(fc.integer({ min: 1, max: 3 })),
    isContained: fc.boolean(),
    links: fc.array(fc.record({ to: fc.nat(3), type: fc.constantFrom('connected_to', 'depends_on') }), {
      maxLength: 3,
    }),
  }),
  { minLength: 5, maxLength: 5 },
)

/** Relationships lead to earlier nodes, once to each; what is contained is so in the first node. */
function blueprint(nodes: readonly Sketch[]): string {
  const isThere = (index: number) => index === 0 || nodes[index]?.isThere === true
  const templates = nodes.flatMap(({ size, deploy, isContained, links }, index) => {
    if (!isThere(index)) return []
    const contained =
      isContained && index > 2 ? [{ type: 'cloudify.relationships.contained_in', target: 'n0' }] : []
    const targets = new Map(links.map(({ to, type }) => [to % Math.max(index, 1), type]))
    const linked = [...targets]
      .filter(([to]) => index > 0 && isThere(to) && !(to === 0 && contained.length > 0))
      .map(([to, type]) => ({ type: `cloudify.relationships.${type}`, target: `n${to}` }))
    const template = {
      type: 'sized',
      properties: { size },
      relationships: [...contained, ...linked],
      ...(deploy !== null && { instances: { deploy } }),
    }
    return [[`n${index}`, template] as const]
  })
  return blueprintText({
    node_types: { sized: { derived_from: 'cloudify.nodes.Root', properties: { size: {} } } },
    node_templates: Object.fromEntries(templates),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
type Answer = any

const edges = (list: readonly Answer[]) =>
  list.map(({ type, target_id: target }) => `${type.split('.').at(-1)} ${target}`)
const marked = (list: readonly Answer[], mark: string): readonly Answer[] =>
  list.filter(({ modification }) => modification === mark)

/** Ids of new instances differ from one computation to the next. */
function shown({
  steps,
  instance_changes: changes,
  deployment_update_node_instances: lists,
  ...update
}: Answer) {
  const fresh = new Map(
    marked(lists?.added_and_related ?? [], 'added').map(({ id, node_id: node }, index) => [
      id,
      `${node} ${index}`,
    ]),
  )
  const named = (list: readonly Answer[] = []) =>
    list.map(({ id, relationships, modification }) => [
      fresh.get(id) ?? id,
      modification ?? null,
      edges(relationships).map((edge) => edge.replace(/\S+$/, (target) => fresh.get(target) ?? target)),
    ])
  return {
    state: update.state,
    steps: steps.map(({ id: _, ...step }: Answer) => step),
    changes,
    nodes: update.deployment_update_nodes,
    added: named(lists?.added_and_related),
    removed: named(lists?.removed_and_related),
    extended: named(lists?.extended_and_related),
    reduced: named(lists?.reduced_and_related),
  }
}

const instancesOf = async (id: string): Promise<readonly Answer[]> =>
  (await system.inject('GET', `/node-instances?deployment_id=${id}&_size=1000`)).body.items
const wired = (list: readonly Answer[]) =>
  new Map(list.map(({ id, relationships }) => [id, new Set(edges(relationships))]))

test('an update does what its preview says, of random blueprints', async () => {
  let number = 0
  // The same ones each time: what fails here fails for everybody.
  await fc.assert(
    fc.asyncProperty(sketches, sketches, async (before, after) => {
      number += 1
      const id = `d${number}`
      await system.upload(`${id}-before`, blueprintArchive(blueprint(before)))
      await system.upload(`${id}-after`, blueprintArchive(blueprint(after)))
      await system.deploy(id, `${id}-before`)
      await system.ended(await system.start(id, 'install'))
      const present = await instancesOf(id)
      const ask = (body: object) =>
        system.inject('POST', `/deployment-updates/${id}/update/initiate`, {
          body: { blueprint_id: `${id}-after`, ...body },
        })
      const preview = (await ask({ preview: true })).body
      expect(wired(await instancesOf(id))).toEqual(wired(present))
      const started = (await ask({})).body
      await system.ended(started.execution_id)
      const update = (await system.inject('GET', `/deployment-updates/${started.id}`)).body
      expect(shown(update)).toEqual(shown(preview))
      expect(await whatDisagrees(system.db, 0, id)).toEqual([])
      const now = await instancesOf(id)
      if (update.state === 'failed') {
        expect(wired(now)).toEqual(wired(present))
        return
      }

      const expected = wired(present)
      const lists = update.deployment_update_node_instances
      for (const { id: gone } of marked(lists.removed_and_related, 'removed')) expected.delete(gone)
      for (const { id: one, relationships } of marked(lists.extended_and_related, 'extended'))
        for (const edge of edges(relationships)) expected.get(one)?.add(edge)
      for (const { id: one, relationships } of marked(lists.reduced_and_related, 'reduced'))
        for (const edge of edges(relationships)) expected.get(one)?.delete(edge)
      for (const { id: fresh, relationships } of marked(lists.added_and_related, 'added'))
        expected.set(fresh, new Set(edges(relationships)))
      expect(wired(now)).toEqual(expected)
      expect(new Set(now.map(({ state }) => state))).toEqual(new Set(['started']))
      const again = shown((await ask({ preview: true })).body)
      expect(again).toMatchObject({ state: 'successful', steps: [], changes: [], added: [], removed: [] })
    }),
    { numRuns: 15, seed: 20261122, endOnFailure: true },
  )
}, 600_000)
