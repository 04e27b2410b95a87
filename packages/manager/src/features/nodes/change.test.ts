import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
let updating: string
let installing: string
beforeAll(async () => {
  manager = await startTestManager()
  await addTenant(manager.db, 'other')
  await addUser(manager.db, 'uma', { tenants: { 0: 'user' } })
  await addDeployment(manager.db, 'd', {
    nodes: [{ id: 'vm', instances: [{ id: 'vm_1' }, { id: 'vm_2' }] }],
  })
  updating = (await addExecution(manager.db, { deploymentId: 'd', workflowId: 'update' })).token
  installing = (await addExecution(manager.db, { deploymentId: 'd' })).token
})
afterAll(() => manager.close())

const addNodes = (nodes: readonly object[], deployment_id = 'd', request = {}) =>
  manager.inject('POST', '/nodes', { body: { deployment_id, nodes }, ...request })
const addInstances = (node_instances: readonly object[], deployment_id = 'd', request = {}) =>
  manager.inject('POST', '/node-instances', { body: { deployment_id, node_instances }, ...request })
const node = async (id: string) =>
  (await manager.inject('GET', `/nodes?deployment_id=d&id=${id}`)).body.items[0]

test('nodes are added behind the others, their counts from what scales them', async () => {
  const scalable = {
    properties: { current_instances: 3, default_instances: 2, min_instances: 1, max_instances: 5 },
  }
  const added = await addNodes([
    { id: 'db', type: 'acme.Database', properties: { a: '\u0000' }, capabilities: { scalable } },
    { id: 'app', type: 'acme.App', number_of_instances: 4 },
  ])
  expect(added).toMatchObject({ status: 201, body: { items: [{ id: 'db' }, { id: 'app' }] } })
  expect(await node('db')).toMatchObject({
    type: 'acme.Database',
    type_hierarchy: ['acme.Database'],
    properties: { a: '\u0000' },
    number_of_instances: 3,
    planned_number_of_instances: 3,
    deploy_number_of_instances: 2,
    min_number_of_instances: 1,
    max_number_of_instances: 5,
  })
  expect(await node('app')).toMatchObject({ number_of_instances: 4, max_number_of_instances: -1 })
  const { items } = (await manager.inject('GET', '/nodes?deployment_id=d')).body
  expect(items.map(({ id }: { id: string }) => id)).toEqual(['vm', 'db', 'app'])
  expect(await addNodes([])).toMatchObject({ status: 204, text: '' })
  expect(
    await addNodes([
      { id: 'x', type: 't' },
      { id: 'db', type: 't' },
    ]),
  ).toMatchObject({ status: 409 })
  expect(await node('x')).toBe(undefined)
})

test.each<[string, readonly object[], string, number, string]>([
  ['of an unknown deployment', [{ id: 'a', type: 't' }], 'nope', 404, 'Deployment'],
  ['without a type', [{ id: 'a' }], 'd', 400, 'nodes'],
  [
    'given twice',
    [
      { id: 'a', type: 't' },
      { id: 'a', type: 't' },
    ],
    'd',
    409,
    'Node',
  ],
  [
    'scaled by a text',
    [{ id: 'a', type: 't', capabilities: { scalable: { properties: { max_instances: 'x' } } } }],
    'd',
    400,
    'max_instances',
  ],
  ['with too many instances', [{ id: 'a', type: 't', number_of_instances: 2 ** 40 }], 'd', 400, 'too large'],
])('a node %s is refused', async (_what, nodes, deployment, status, message) => {
  const answer = await addNodes(nodes, deployment)
  expect(answer.status).toBe(status)
  expect(answer.body.message).toContain(message)
})

test('only an update changes and deletes nodes and instances', async () => {
  const refused = { status: 403, body: { error_code: 'only_deployment_update' } }
  for (const request of [{}, { executionToken: installing }]) {
    expect(await manager.inject('PATCH', '/nodes/d/vm', { ...request, body: { type: 'x' } })).toMatchObject(
      refused,
    )
    expect(await manager.inject('DELETE', '/nodes/d/vm', request)).toMatchObject(refused)
    expect(await manager.inject('DELETE', '/node-instances/vm_1', request)).toMatchObject(refused)
  }
  const request = { executionToken: updating }
  const patch = {
    type: 'acme.Vm',
    properties: { b: 2 },
    capabilities: { scalable: { properties: { max_instances: 9 } } },
  }
  expect(await manager.inject('PATCH', '/nodes/d/vm', { ...request, body: patch })).toMatchObject({
    status: 204,
    text: '',
  })
  expect(await node('vm')).toMatchObject({
    type: 'acme.Vm',
    properties: { b: 2 },
    max_number_of_instances: 9,
  })
  expect((await manager.inject('PATCH', '/nodes/d/nope', { ...request, body: patch })).status).toBe(404)
  expect((await manager.inject('PATCH', '/nodes/d/vm', { ...request, body: {} })).status).toBe(400)
  expect((await manager.inject('DELETE', '/node-instances/nope', request)).status).toBe(404)
  expect((await manager.inject('DELETE', '/nodes/d/nope', request)).status).toBe(404)
})

test('instances are added with free ids, the next indexes and their relationships among each other', async () => {
  const added = await addInstances([
    { id: 'vm_1', node_id: 'vm', runtime_properties: { a: 1 } },
    {
      id: 'vm_9',
      node_id: 'vm',
      host_id: 'vm_1',
      relationships: [{ type: 't', target_name: 'vm', target_id: 'vm_1' }],
    },
  ])
  expect(added.status).toBe(201)
  const [first, second] = added.body.items.sort(
    (one: { index: number }, other: { index: number }) => one.index - other.index,
  )
  expect(first).toMatchObject({ index: 3, state: 'uninitialized', version: 1, runtime_properties: { a: 1 } })
  expect(first.id).toMatch(/^vm_[0-9a-f]{10}$/)
  expect(second).toMatchObject({ id: 'vm_9', index: 4, host_id: first.id })
  expect(second.relationships[0].target_id).toBe(first.id)
  expect(await addInstances([])).toMatchObject({ status: 204, text: '' })
  expect((await addInstances([{ id: 'x', node_id: 'nope' }])).body.message).toContain('`nope` was not found')
  const request = { executionToken: updating }
  expect(await manager.inject('DELETE', '/node-instances/vm_9', request)).toMatchObject({
    status: 204,
    text: '',
  })
  expect((await manager.inject('GET', '/node-instances/vm_9')).status).toBe(404)
})

test('requests at once give out each index and id once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => addInstances([{ id: 'app_1', node_id: 'app' }])),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
  const { items } = (await manager.inject('GET', '/node-instances?node_id=app')).body
  expect(items.map(({ index }: { index: number }) => index).sort()).toEqual([1, 2, 3, 4, 5, 6])
})

test('many at once are one statement', async () => {
  const nodes = Array.from({ length: 4_000 }, (_, index) => ({ id: `many${index}`, type: 't' }))
  expect((await addNodes(nodes)).status).toBe(201)
  const instances = nodes.map(({ id }) => ({ id: `${id}_1`, node_id: id }))
  expect((await addInstances(instances)).body.items).toHaveLength(4_000)
})
