import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager
let other: number

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  other = await addTenant(db, 'other')
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'bob', { tenants: { 0: 'user', [other]: 'viewer' } })
  await addUser(db, 'carol', { tenants: { [other]: 'user' } })
  await addUser(db, 'viewer1', { tenants: { 0: 'viewer' } })
  await addBlueprint(db, 'global', { visibility: 'global' })
})
afterAll(() => manager.close())

let next = 0
async function added(options: Parameters<typeof addDeployment>[2] = {}) {
  const id = `dep${next++}`
  await addDeployment(manager.db, id, options)
  return id
}
const get = (id: string, request: TestRequest = {}) => manager.inject('GET', `/deployments/${id}`, request)
const patch = (path: string, body: unknown, request: TestRequest = {}) =>
  manager.inject('PATCH', `/deployments/${path}`, { ...request, body })
const idsOf = async (query: string, request: TestRequest = {}) => {
  const { body } = await manager.inject('GET', `/deployments?${query}`, request)
  return body.items.map((item: { id: string }) => item.id)
}
const pairs = (labels: readonly { key: string; value: string }[]) =>
  labels.map(({ key, value }) => `${key}=${value}`).sort()

test('a patch replaces labels, renames, and changes the owner for those who may', async () => {
  const id = await added({ createdBy: 'alice' })
  await patch(id, { labels: [{ a: '1' }, { b: '2' }] })
  const before = (await get(id)).body
  const { status, body } = await patch(id, { labels: [{ b: '2' }, { c: '3' }], display_name: 'New \u212b' })
  expect({ status, name: body.display_name, labels: pairs(body.labels) }).toEqual({
    status: 200,
    name: 'New \u00c5',
    labels: ['b=2', 'c=3'],
  })
  const timeOf = (labels: { key: string; created_at: string }[]) =>
    labels.find(({ key }) => key === 'b')?.created_at
  expect(timeOf(body.labels)).toBe(timeOf(before.labels))
  expect((await patch(id, { creator: 'bob' }, { user: 'alice' })).status).toBe(403)
  expect((await patch(id, { creator: 'bob' })).body.created_by).toBe('bob')
  expect((await patch(id, { labels: [] }, { user: 'viewer1' })).status).toBe(403)
  // Who consumes it is Tutti's to say.
  await manager.db
    .insertInto('deployment_labels')
    .values({ tenant_id: 0, deployment_id: id, key: 'csys-consumer-id', value: 'x', created_by: 'admin' })
    .execute()
  expect(pairs((await patch(id, { labels: [{ 'csys-consumer-id': 'y' }, { a: '1' }] })).body.labels)).toEqual(
    ['a=1', 'csys-consumer-id=x'],
  )
})

test('what was never changed was last changed when it was made', async () => {
  const { created_at, updated_at } = (await get(await added())).body
  expect(updated_at).toBe(created_at)
  const id = await added()
  await patch(id, { display_name: 'other' })
  const { body } = await get(id)
  expect(body.updated_at > body.created_at).toBe(true)
})

test('a patch describes what has no description, and changes nothing that the creation set', async () => {
  const id = await added()
  expect((await patch(id, { description: 'y' })).body.description).toBe('y')
  for (const [attribute, value] of Object.entries({
    description: 'z',
    inputs: {},
    workflows: {},
    outputs: {},
  })) {
    expect(await patch(id, { display_name: 'x', [attribute]: value })).toMatchObject({
      status: 409,
      body: { error_code: 'conflict_error', message: `${attribute} is already set` },
    })
  }
  expect(await patch(id, { blueprint_id: 'x' })).toMatchObject({
    status: 403,
    body: { error_code: 'only_deployment_update' },
  })
  expect(await patch(id, { unknown: 1 })).toMatchObject({
    status: 200,
    body: { description: 'y', display_name: expect.not.stringContaining('x') },
  })
})

test.each<[string, unknown, string, string]>([
  ['an empty body', {}, 'illegal_action_error', 'empty body'],
  ['labels that are no list', { labels: 'a' }, 'bad_parameters_error', 'of type list but is of type str'],
  ['a reserved label', { labels: [{ 'csys-x': '1' }] }, 'bad_parameters_error', 'reserved'],
  ['the same label twice', { labels: [{ a: ['1', '1'] }] }, 'bad_parameters_error', 'same label twice'],
  ['an empty name', { display_name: '' }, 'bad_parameters_error', 'display_name'],
  ['an unknown creator', { creator: 'nobody' }, 'bad_parameters_error', 'User nobody does not exist.'],
])('a patch with %s is refused', async (_what, body, code, message) => {
  const id = await added()
  expect(await patch(id, body)).toMatchObject({
    status: 400,
    body: { error_code: code, message: expect.stringContaining(message) },
  })
})

test("visibility only widens, never beyond the blueprint's, and nodes go with it", async () => {
  const set = (id: string, visibility: string, user = 'admin') =>
    patch(`${id}/set-visibility`, { visibility }, { user })
  const id = await added({
    visibility: 'private',
    createdBy: 'alice',
    blueprintId: 'local',
    nodes: [{ id: 'n', instances: [{ id: 'n_1' }] }],
  })
  expect((await set(id, 'tenant', 'bob')).status).toBe(404)
  expect(await set(id, 'private')).toMatchObject({
    status: 400,
    body: { error_code: 'bad_parameters_error' },
  })
  expect((await set(id, 'tenant', 'alice')).body.visibility).toBe('tenant')
  expect((await manager.inject('GET', `/node-instances/n_1`, { user: 'bob' })).body.visibility).toBe('tenant')
  expect((await set(id, 'global', 'alice')).status).toBe(403)
  await manager.db.updateTable('blueprints').set({ visibility: 'tenant' }).where('id', '=', 'local').execute()
  expect(await set(id, 'global')).toMatchObject({ status: 400, body: { error_code: 'illegal_action_error' } })
  const global = await added({ blueprintId: 'global', nodes: [{ id: 'n', instances: [{ id: 'n_2' }] }] })
  await addDeployment(manager.db, global, { tenantId: other, blueprintId: 'local' })
  expect(await set(global, 'global')).toMatchObject({ status: 409, body: { error_code: 'conflict_error' } })
  await manager.db.deleteFrom('deployments').where('id', '=', global).where('tenant_id', '=', other).execute()
  expect((await set(global, 'global')).body.visibility).toBe('global')
  const asCarol = { user: 'carol', tenant: 'other' }
  expect((await get(global, asCarol)).body.tenant_name).toBe('default_tenant')
  expect((await manager.inject('GET', '/node-instances/n_2', asCarol)).status).toBe(200)
  expect(await patch(global, { labels: [] }, asCarol)).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_action_error', message: expect.stringContaining('from outside its tenant') },
  })
  expect(await manager.inject('DELETE', `/deployments/${global}?force=true`, asCarol)).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_action_error' },
  })
  expect(await set(global, 'tenant')).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_action_error' },
  })
})

test('lists find deployments by field, name, label and dependency', async () => {
  const [web, data, base] = [
    await added({ displayName: 'Web shop', blueprintId: 'listed', createdBy: 'alice' }),
    await added({ displayName: '50%_off', blueprintId: 'listed' }),
    await added({ displayName: 'Base', blueprintId: 'listed' }),
  ]
  await patch(web, { labels: [{ tier: 'b' }, { 'csys-env-type': 'aws' }] })
  await patch(data, { labels: [{ tier: 'a' }] })
  const link = { tenant_id: 0, created_by: 'admin', dependency_creator: 'component.x' }
  await manager.db
    .insertInto('inter_deployment_dependencies')
    .values([
      { ...link, id: '1', source_deployment_id: web, target_deployment_id: data },
      { ...link, id: '2', source_deployment_id: data, target_deployment_id: base },
    ])
    .execute()
  const found = (query: string) => idsOf(`blueprint_id=listed&${query}`)
  expect(await found('')).toEqual([web, data, base])
  expect(await found('_search_name=WEB')).toEqual([web])
  expect(await found('_search_name=%25')).toEqual([data])
  expect(await found(`_search_name=web&_search=${base}`)).toEqual([web, base])
  expect(await found('display_name=Base&display_name=Web%20shop')).toEqual([web, base])
  expect(await found('created_by=alice')).toEqual([web])
  expect(await found('environment_type=aws')).toEqual([web])
  expect(await found('_sort=label:tier&_size=2')).toEqual([data, web])
  expect(await found('_sort=-display_name')).toHaveLength(3)
  expect(await found(`_dependencies_of=${web}`)).toEqual([data, base])
  expect(await found('_environments_only=true')).toEqual([web])
  expect(await found('deployment_group_id=g')).toEqual([])
  expect(await found('_group_id=g')).toEqual([])
  expect(await manager.inject('GET', '/deployments?_dependencies_of=nope')).toMatchObject({ status: 404 })
  expect(await manager.inject('GET', '/deployments?_filter_id=nope')).toMatchObject({
    status: 404,
    body: { message: 'Requested `DeploymentsFilter` with ID `nope` was not found' },
  })
  expect(await manager.inject('GET', '/deployments?workflows=x')).toMatchObject({ status: 400 })
  expect((await manager.inject('GET', `/deployments/${web}?_include=id,display_name`)).body).toEqual({
    id: web,
    display_name: 'Web shop',
  })
})

test("nothing of a tenant or of somebody's own is seen by others", async () => {
  const [local, mine, theirs] = [
    await added({ blueprintId: 'seen' }),
    await added({ blueprintId: 'seen', visibility: 'private', createdBy: 'alice' }),
    await added({ tenantId: other, blueprintId: 'seen' }),
  ]
  const seen = (request: TestRequest, query = '') => idsOf(`blueprint_id=seen&${query}`, request)
  expect(await seen({ user: 'alice' })).toEqual([local, mine])
  expect(await seen({ user: 'bob' })).toEqual([local])
  expect(await seen({ user: 'bob' }, '_all_tenants=true')).toEqual([local, theirs])
  expect(await seen({}, '_all_tenants=true')).toEqual([local, mine, theirs])
  expect(await seen({ user: 'carol', tenant: 'other' })).toEqual([theirs])
  const asCarol = { user: 'carol', tenant: 'other' }
  for (const [method, path, body] of [
    ['GET', local],
    ['GET', `${local}/outputs`],
    ['GET', `${local}/capabilities`],
    ['PATCH', local, { labels: [] }],
    ['PATCH', `${local}/set-visibility`, { visibility: 'tenant' }],
    ['DELETE', local],
  ] as const) {
    const answer = await manager.inject(method, `/deployments/${path}`, { ...asCarol, body })
    expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 })
  }
})

test('label keys and values of deployments are listed', async () => {
  const id = await added({ tenantId: other })
  const asCarol = { user: 'carol', tenant: 'other' }
  await patch(id, { labels: [{ one: ['b', 'a'] }, { two: 'x' }] }, asCarol)
  const items = async (path: string) =>
    (await manager.inject('GET', `/labels/deployments${path}`, asCarol)).body.items
  expect(await items('')).toEqual(['one', 'two'])
  expect(await items('/one')).toEqual(['a', 'b'])
  expect(await items('?_search=TW')).toEqual(['two'])
  expect((await manager.inject('GET', '/labels/deployments/1st', asCarol)).body.message).toBe(
    'The `key` argument must begin with a letter',
  )
})
