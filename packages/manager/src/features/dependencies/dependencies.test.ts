import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addUser(manager.db, 'vera', { tenants: { 0: 'viewer' } })
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await addDeployment(manager.db, id)
})
afterAll(() => manager.close())

const path = '/deployments/inter-deployment-dependencies'
const put = (source: string | null, target: string | null, more = {}) =>
  manager.inject('PUT', path, {
    body: {
      dependency_creator: 'sharedresource.vm_1',
      source_deployment: source,
      target_deployment: target,
      ...more,
    },
  })
const remove = (source: string, target: string | null, more = {}) =>
  manager.inject('DELETE', path, {
    body: {
      dependency_creator: 'sharedresource.vm_1',
      source_deployment: source,
      target_deployment: target,
      ...more,
    },
  })
const consumers = async (id: string) =>
  (await manager.inject('GET', `/deployments/${id}`)).body.labels
    .filter(({ key }: { key: string }) => key === 'csys-consumer-id')
    .map(({ value }: { value: string }) => value)

test('a dependency is recorded, listed, shown on its target, and forgotten', async () => {
  const made = await put('a', 'b')
  expect(made).toMatchObject({
    status: 200,
    body: {
      id: expect.any(String),
      dependency_creator: 'sharedresource.vm_1',
      source_deployment_id: 'a',
      target_deployment_id: 'b',
      target_deployment_func: null,
      created_by: 'admin',
      tenant_name: 'default_tenant',
      visibility: 'tenant',
    },
  })
  const { items } = (await manager.inject('GET', `${path}?source_deployment_id=a`)).body
  expect(items).toEqual([made.body])
  expect(await consumers('b')).toEqual(['a'])
  await manager.inject('PATCH', '/deployments/b', {
    body: { labels: [{ x: 'y' }, { 'csys-consumer-id': 'z' }] },
  })
  expect(await consumers('b')).toEqual(['a'])
  expect((await remove('a', 'b')).status).toBe(204)
  expect(await consumers('b')).toEqual([])
  expect(await remove('a', 'b')).toMatchObject({ status: 404, body: { error_code: 'not_found_error' } })
})

test('components carry no label of their consumer, and a label stays while another dependency needs it', async () => {
  await put('a', 'c', { dependency_creator: 'component.c_1' })
  expect(await consumers('c')).toEqual([])
  await put('a', 'c', { dependency_creator: 'nodes.x.get_capability' })
  await put('a', 'c')
  await remove('a', 'c')
  expect(await consumers('c')).toEqual(['a'])
  await remove('a', 'c', { dependency_creator: 'nodes.x.get_capability' })
  expect(await consumers('c')).toEqual([])
})

test.each<[string, string | null, string | null, object, number, string]>([
  ['itself', 'd', 'd', {}, 409, 'cyclic dependency between deployments d and d'],
  ['no deployment', 'd', 'nope', {}, 404, '`nope` was not found'],
  ['nothing', 'd', null, {}, 404, 'was not found'],
  ['something, of nobody', 'nope', 'd', {}, 404, '`nope` was not found'],
  ['something, of null', null, 'd', {}, 404, 'was not found'],
  ['something without its creator', 'd', 'e', { dependency_creator: undefined }, 400, 'Missing'],
])('a dependency on %s is refused', async (_what, source, target, more, status, message) => {
  const answer = await put(source, target, more)
  expect(answer.status).toBe(status)
  expect(answer.body.message).toContain(message)
})

test('what is found out later, or stands elsewhere, needs no target here', async () => {
  const func = { function: { get_secret: 'x' }, context: {} }
  expect((await put('d', null, { target_deployment_func: func })).body).toMatchObject({
    target_deployment_func: func,
    target_deployment_id: null,
  })
  expect((await put('d', 'far', { external_target: { host: 'h' } })).body).toMatchObject({
    target_deployment_id: 'far',
  })
  expect((await put(null, 'd', { external_source: { host: 'h' } })).body).toMatchObject({
    source_deployment_id: null,
    external_source: { host: 'h' },
  })
})

test('several are added or replaced together, or none of them', async () => {
  const many = (targets: readonly string[]) => ({
    inter_deployment_dependencies: targets.map((target_deployment) => ({
      dependency_creator: 'nodes.y.get_capability',
      target_deployment,
    })),
  })
  const list = async () =>
    (await manager.inject('GET', `${path}?source_deployment_id=e`)).body.items.map(
      (one: { target_deployment_id: string }) => one.target_deployment_id,
    )
  const added = await manager.inject('POST', path, {
    body: { source_deployment_id: 'e', ...many(['a', 'b']) },
  })
  expect(added).toMatchObject({ status: 200, body: { items: [{ id: expect.any(String) }, {}] } })
  expect(await list()).toEqual(['a', 'b'])
  const replace = (targets: readonly string[]) =>
    manager.inject('PUT', '/deployments/e/inter-deployment-dependencies', { body: many(targets) })
  expect((await replace(['c', 'nope'])).status).toBe(404)
  expect((await replace(['c', 'e'])).status).toBe(409)
  expect(await list()).toEqual(['a', 'b'])
  expect((await replace(['c'])).status).toBe(200)
  expect(await list()).toEqual(['c'])
  expect(await consumers('a')).toEqual([])
  expect(await consumers('c')).toEqual(['e'])
})

test('of requests at once that would close a circle together one is refused', async () => {
  const answers = await Promise.all([put('b', 'd'), put('d', 'f'), put('f', 'b')])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409])
})

test('viewers see dependencies and change none', async () => {
  expect((await manager.inject('GET', path, { user: 'vera' })).status).toBe(200)
  const body = { dependency_creator: 'x', source_deployment: 'a', target_deployment: 'f' }
  expect((await manager.inject('PUT', path, { user: 'vera', body })).status).toBe(403)
  expect((await manager.inject('DELETE', path, { user: 'vera', body })).status).toBe(403)
})
