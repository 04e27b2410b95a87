import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

const count = 120
/** What could be taken for the marks of how a large plan is stored. */
const awkward = { part: '\n0\n', '\r[[': ']\r,', text: 'a\n,b', '0': 1, other: ['"part"', 12] }

const blueprint = (nodes: number) =>
  blueprintText({
    plugins: { own: { executor: 'central_deployment_agent', install: false } },
    node_types: {
      own: {
        derived_from: 'cloudify.nodes.Root',
        properties: { awkward: { default: awkward }, name: { default: '' } },
        interfaces: {
          own: {
            tune: {
              implementation: 'own.tune',
              inputs: { of: { default: { get_property: ['SELF', 'name'] } } },
            },
          },
        },
      },
    },
    inputs: {
      operation: {
        type: 'operation_name',
        required: false,
      },
    },
    node_templates: Object.fromEntries(
      Array.from({ length: nodes }, (_, index) => [
        `node_${String(index).padStart(3, '0')}`,
        {
          type: 'own',
          properties: { name: `n${index}` },
          relationships:
            index === 0 ? [] : [{ type: 'cloudify.relationships.connected_to', target: 'node_000' }],
        },
      ]),
    ),
    capabilities: { name: { value: { get_property: ['node_001', 'name'] } } },
  })

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await system.upload('small', blueprintArchive(blueprint(2)))
  for (const id of ['shared', 'written']) await system.upload(id, blueprintArchive(blueprint(count)))
  const { plan } = (await system.send('GET', '/blueprints/shared')).body
  await system.db
    .updateTable('blueprints')
    .set({ plan: JSON.stringify(plan), plan_parts: null })
    .where('id', '=', 'written')
    .execute()
  await system.db
    .updateTable('blueprints')
    .set({ created_at: new Date(0) })
    .execute()
})
afterAll(() => system.close())

/** The answers about a plan that is stored with shared parts and about the same one written out, ids apart. */
async function answersAbout(method: string, path: (id: string) => string, body?: object) {
  const answers = ['shared', 'written'].map(async (id) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const { status, text } = await system.send(method, path(id), sent)
    return { status, text: text.replaceAll(/"(small|shared|written)"/g, '"ID"') }
  })
  const [shared, written] = await Promise.all(answers)
  if (shared === undefined || written === undefined) throw new Error('two answers')
  return { shared, written }
}

test('the nodes of a large plan are stored without what they have in common', async () => {
  const rows = await system.db.selectFrom('blueprints').select(['id', 'plan', 'plan_parts']).execute()
  const lengthOf = (id: string) => {
    const row = rows.find((one) => one.id === id)
    return JSON.stringify(row?.plan).length + (row?.plan_parts?.length ?? 0)
  }
  expect(rows.map(({ id, plan_parts: parts }) => [id, parts !== null]).sort()).toEqual([
    ['shared', true],
    ['small', false],
    ['written', false],
  ])
  expect(lengthOf('written')).toBeGreaterThan(1_000_000)
  expect(lengthOf('shared')).toBeLessThan(lengthOf('written') / 8)
})

test('a large plan says of each node what a small one says', async () => {
  const planOf = async (id: string) => (await system.send('GET', `/blueprints/${id}`)).body.plan
  const [small, large] = [await planOf('small'), await planOf('shared')]
  expect(large.nodes).toHaveLength(count)
  expect(large.nodes[1]).toEqual(small.nodes[1])
  expect(large.nodes.at(-1)).toEqual({
    ...small.nodes[1],
    id: large.nodes.at(-1).id,
    name: large.nodes.at(-1).id,
    properties: { ...small.nodes[1].properties, name: `n${count - 1}` },
  })
  expect(large.nodes[7].properties.awkward).toEqual(awkward)
})

test.each<[string, string, (id: string) => string, object?]>([
  ['the plan alone', 'GET', (id) => `/blueprints/${id}?_include=id,plan`],
  ['a list', 'GET', (id) => `/blueprints?id=${id}&_include=id,plan`],
  ['nodes', 'POST', (id) => `/searches/nodes?blueprint_id=${id}&_sort=id`, {}],
  ['types', 'POST', (id) => `/searches/node-types?blueprint_id=${id}`, {}],
  [
    'derived types',
    'POST',
    (id) => `/searches/node-types?blueprint_id=${id}`,
    { constraints: { valid_values: ['cloudify.nodes.Root'] } },
  ],
  ['capabilities', 'POST', (id) => `/searches/capabilities?blueprint_id=${id}`, {}],
  ['workflows', 'POST', (id) => `/searches/workflows?blueprint_id=${id}`, {}],
])('answers are the same to the byte: %s', async (_what, method, path, body) => {
  const { shared, written } = await answersAbout(method, path, body)
  expect(shared.status).toBe(200)
  expect(shared.text.length).toBeGreaterThan(50)
  expect(shared.text === written.text).toBe(true)
})

test('a page with several large plans has each written out', async () => {
  const { body } = await system.send('GET', '/blueprints?_sort=id')
  expect(
    body.items.map(({ id, plan }: { id: string; plan: { nodes: unknown[] } }) => [id, plan.nodes.length]),
  ).toEqual([
    ['shared', count],
    ['small', 2],
    ['written', count],
  ])
  expect(body.items[0].plan).toEqual(body.items[2].plan)
})

test('a deployment is the same, made of either', async () => {
  for (const id of ['small', 'shared', 'written']) await system.deploy(`of_${id}`, id)
  const nodesOf = async (id: string) => {
    const { body } = await system.send('GET', `/nodes?deployment_id=of_${id}&_size=1000&_sort=id`)
    return (body.items as Record<string, unknown>[]).map(
      ({ deployment_id: _id, deployment_display_name: _name, blueprint_id: _of, created_at: _at, ...node }) =>
        node,
    )
  }
  const [small, shared, written] = [await nodesOf('small'), await nodesOf('shared'), await nodesOf('written')]
  expect(shared).toHaveLength(count)
  expect(shared).toEqual(written)
  expect(shared[1]).toEqual(small[1])
  expect(shared[7]?.properties).toMatchObject({ awkward, name: 'n7' })
  const stored = await system.db.selectFrom('nodes').select(['operations', 'relationships']).execute()
  expect(stored).toHaveLength(2 + 2 * count)
})

test('inputs are checked against what a large plan holds', async () => {
  const create = (id: string, operation: string) =>
    system.inject('PUT', `/deployments/${id}`, { body: { blueprint_id: 'shared', inputs: { operation } } })
  expect(await create('tuned', 'own.tune')).toMatchObject({ status: 201 })
  const refused = await create('toned', 'own.tone')
  expect(refused.body.message).toContain('is not a valid operation_name')
})
