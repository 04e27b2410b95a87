import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addDeployment, addTenant, addUser } from '../../../test/fixtures.ts'
import type { TestRequest } from '../../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let other: number
beforeAll(async () => {
  system = await startTestSystem()
  other = await addTenant(system.db, 'other')
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
  await addUser(system.db, 'carol', { tenants: { [other]: 'user' } })
  await addUser(system.db, 'viewer1', { tenants: { 0: 'viewer' } })
})
afterAll(() => system.close())

let next = 0
const newId = () => `bp${next++}`
async function uploaded(query = '', request: { readonly user?: string; readonly tenant?: string } = {}) {
  const id = newId()
  await system.upload(id, blueprintArchive(), query, request)
  return id
}
const patch = (path: string, body: unknown, request: TestRequest = {}) =>
  system.inject('PATCH', `/blueprints/${path}`, { ...request, body })
const get = (id: string, request: TestRequest = {}) => system.inject('GET', `/blueprints/${id}`, request)
const remove = (id: string, query = '', request: TestRequest = {}) =>
  system.inject('DELETE', `/blueprints/${id}?${query}`, request)
const pairs = (labels: readonly { key: string; value: string; created_at: string }[]) =>
  labels.map(({ key, value }) => `${key}=${value}`).sort()

test('a patch of labels replaces the set; those that stay keep their time', async () => {
  const id = await uploaded('labels=a=1,b=2')
  const before = (await get(id)).body
  const { status, body } = await patch(id, { labels: [{ B: '2' }, { c: ['3', '4'] }] })
  expect(status).toBe(200)
  expect(pairs(body.labels)).toEqual(['b=2', 'c=3', 'c=4'])
  const timeOf = (labels: { key: string; created_at: string }[]) =>
    labels.find(({ key }) => key === 'b')?.created_at
  expect(timeOf(body.labels)).toBe(timeOf(before.labels))
  expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
  // As the client reads and resends them.
  const resent = await patch(id, { labels: [{ key: 'x', value: 'y' }, ...body.labels.slice(0, 1)] })
  expect(pairs(resent.body.labels)).toHaveLength(2)
  expect((await patch(id, { labels: [] })).body.labels).toEqual([])
})

test.each<[string, unknown, string, string]>([
  ['an empty body', {}, 'illegal_action_error', 'empty body'],
  ['unknown keys', { colour: 'red', labels: [] }, 'bad_parameters_error', 'Unknown parameters: colour'],
  [
    'labels that are no list',
    { labels: 'a=b' },
    'bad_parameters_error',
    'labels parameter is expected to be of type list',
  ],
  [
    'labels of two entries',
    { labels: [{ a: '1', b: '2' }] },
    'bad_parameters_error',
    'list of 1-entry dictionaries',
  ],
  ['a label that is no text', { labels: [{ a: 1 }] }, 'bad_parameters_error', 'list of 1-entry dictionaries'],
  ['a reserved label', { labels: [{ 'csys-x': '1' }] }, 'bad_parameters_error', 'reserved for internal use'],
  ['the same label twice', { labels: [{ a: '1' }, { A: '1' }] }, 'bad_parameters_error', 'same label twice'],
  ['a quote in a label', { labels: [{ a: '"' }] }, 'bad_parameters_error', 'contains control characters'],
  [
    'a control character in a label',
    { labels: [{ a: 'x\u0000' }] },
    'bad_parameters_error',
    'contains control',
  ],
  ['a long label', { labels: [{ a: 'x'.repeat(257) }] }, 'bad_parameters_error', 'too long'],
  ['an unknown creator', { creator: 'nobody' }, 'bad_parameters_error', 'User nobody does not exist.'],
  [
    'a private visibility',
    { visibility: 'private' },
    'bad_parameters_error',
    'Invalid visibility: `private`',
  ],
])('a patch with %s is refused and changes nothing', async (_what, body, code, message) => {
  const id = await uploaded('labels=a=1')
  const before = (await get(id)).body
  expect(await patch(id, body)).toMatchObject({
    status: 400,
    body: { error_code: code, message: expect.stringContaining(message) },
  })
  expect((await get(id)).body).toEqual(before)
})

test('reserved label keys that users may set are taken', async () => {
  const id = await uploaded()
  const labels = [
    { 'csys-obj-type': 'Environment' },
    { 'csys-location-lat': '48.2' },
    { 'csys-env-type': 'AWS' },
  ]
  expect(pairs((await patch(id, { labels })).body.labels)).toEqual([
    'csys-env-type=AWS',
    'csys-location-lat=48.2',
    'csys-obj-type=environment',
  ])
  expect((await patch(id, { labels: [{ 'csys-location-long': '181' }] })).status).toBe(400)
})

test('the owner is changed by those who may, the description by anybody who may upload', async () => {
  const id = await uploaded('', { user: 'alice' })
  expect(await patch(id, { creator: 'bob' }, { user: 'alice' })).toMatchObject({ status: 403 })
  expect(await patch(id, { creator: 'bob' })).toMatchObject({ status: 200, body: { created_by: 'bob' } })
  expect(await patch(id, { description: 'Öl' }, { user: 'alice' })).toMatchObject({
    status: 200,
    body: { description: 'Öl' },
  })
  expect((await patch(id, { description: 'x' }, { user: 'viewer1' })).status).toBe(403)
})

test('how an upload went can be said by others, and a failed one is deleted at once', async () => {
  const id = await uploaded()
  const failure = { state: 'failed_parsing', error: 'an error', error_traceback: 'a traceback' }
  expect(await patch(id, { ...failure, main_file_name: 'other.yaml' })).toMatchObject({
    status: 200,
    body: { ...failure, main_file_name: 'other.yaml' },
  })
  expect((await patch(id, { labels: [] })).status).toBe(409)
  expect((await patch(id, { state: 'uploaded', error: null, error_traceback: null })).body).toMatchObject({
    state: 'uploaded',
    error: null,
    error_traceback: null,
  })
  expect((await patch(id, { state: 'nonsense' })).body.message).toContain('Invalid state: nonsense')
  expect((await patch(id, { plan: {} })).body.message).toBe(
    'plan is invalid: must have required properties nodes',
  )
  expect((await patch(id, { plan: { nodes: [] } }, { user: 'alice' })).status).toBe(403)
  const planless = newId()
  await system.send('PUT', `/blueprints/${planless}`, { body: blueprintArchive('node_templates: 1') })
  expect((await patch(planless, { state: 'uploaded' })).status).toBe(409)
  await patch(id, { state: 'failed_uploading' })
  expect((await system.inject('DELETE', `/blueprints/${id}`)).status).toBe(204)
})

test('who made it, and when, is said by those who may', async () => {
  const id = newId()
  const query = 'created_by=bob&created_at=2020-01-02T03:04:05.678Z'
  expect(
    await system.send('PUT', `/blueprints/${id}?${query}`, { user: 'alice', body: blueprintArchive() }),
  ).toMatchObject({ status: 403 })
  await system.upload(id, blueprintArchive(), query)
  const created_at = '2020-01-02T03:04:05.678Z'
  expect((await get(id)).body).toMatchObject({ created_by: 'bob', created_at })
  expect((await patch(id, { created_at: '2021-01-01' })).body.created_at).toBe('2021-01-01T00:00:00.000Z')
  expect((await patch(id, { created_at: '2021-01-01' }, { user: 'alice' })).status).toBe(403)
})

test('labels wait until a blueprint is uploaded', async () => {
  const id = newId()
  await system.send('PUT', `/blueprints/${id}`, { body: blueprintArchive('node_templates: 1') })
  expect(await patch(id, { labels: [{ a: 'b' }] })).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error' },
  })
})

test('visibility only widens, and globally only for administrators of the system', async () => {
  const id = await uploaded('visibility=private', { user: 'alice' })
  const set = (visibility: unknown, user: string) => patch(`${id}/set-visibility`, { visibility }, { user })
  expect((await set('tenant', 'bob')).status).toBe(404)
  expect(await set('private', 'alice')).toMatchObject({
    status: 400,
    body: {
      error_code: 'bad_parameters_error',
      message: "Invalid visibility: `private`. Valid visibility's values are: ['tenant', 'global']",
    },
  })
  expect(await patch(`${id}/set-visibility`, {}, { user: 'alice' })).toMatchObject({
    status: 400,
    body: { message: 'Missing visibility in json request body' },
  })
  expect(await set('tenant', 'alice')).toMatchObject({ status: 200, body: { id, visibility: 'tenant' } })
  expect(await set('tenant', 'alice')).toMatchObject({ status: 200 })
  expect(await set('global', 'alice')).toMatchObject({ status: 403, body: { error_code: 'forbidden_error' } })
  expect(await set('global', 'admin')).toMatchObject({
    status: 200,
    body: { visibility: 'global', resource_availability: 'global', private_resource: false },
  })
  expect(await set('tenant', 'admin')).toMatchObject({
    status: 400,
    body: {
      error_code: 'illegal_action_error',
      message: expect.stringContaining('already has wider visibility'),
    },
  })
})

test('set-global does the same, with or without a body', async () => {
  for (const body of [undefined, {}]) {
    const id = await uploaded()
    const answer = await system.inject('PATCH', `/blueprints/${id}/set-global`, { body })
    expect(answer).toMatchObject({ status: 200, body: { id, visibility: 'global' } })
  }
})

test('a blueprint goes global only when no other tenant has its id', async () => {
  const id = await uploaded('', { user: 'carol', tenant: 'other' })
  await system.upload(id)
  expect(await patch(`${id}/set-visibility`, { visibility: 'global' })).toMatchObject({
    status: 409,
    body: {
      error_code: 'conflict_error',
      message: expect.stringContaining('it also exists in other tenants'),
    },
  })
})

test('of two tenants that go global with one id at once, none wins against a rule', async () => {
  const id = newId()
  const global = (tenant: string) =>
    system.send('PUT', `/blueprints/${id}?visibility=global`, { body: blueprintArchive(), tenant })
  const answers = await Promise.all([global('default_tenant'), global('other')])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
})

test('a global blueprint is read everywhere and changed only at home', async () => {
  const id = await uploaded('visibility=global')
  const asCarol = { user: 'carol', tenant: 'other' }
  expect((await get(id, asCarol)).body).toMatchObject({ id, tenant_name: 'default_tenant' })
  expect((await system.inject('GET', `/blueprints/${id}/archive`, asCarol)).status).toBe(200)
  const foreign = {
    status: 400,
    body: {
      error_code: 'illegal_action_error',
      message: `Can't modify the global resource \`${id}\` from outside its tenant \`default_tenant\``,
    },
  }
  expect(await remove(id, 'force=true', asCarol)).toMatchObject(foreign)
  expect(await patch(id, { labels: [] }, asCarol)).toMatchObject(foreign)
  expect(await patch(`${id}/set-visibility`, { visibility: 'global' }, asCarol)).toMatchObject(foreign)
})

test('nothing of a tenant is seen from another', async () => {
  const id = await uploaded('labels=secret-key=secret')
  const asCarol = { user: 'carol', tenant: 'other' }
  for (const [method, path, body] of [
    ['GET', id],
    ['GET', `${id}/archive`],
    ['PATCH', id, { labels: [] }],
    ['PATCH', `${id}/set-visibility`, { visibility: 'tenant' }],
    ['DELETE', id],
  ] as const) {
    const answer = await system.inject(method, `/blueprints/${path}`, { ...asCarol, body })
    expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 })
    expect(answer.body.message).toBe(`Requested \`Blueprint\` with ID \`${id}\` was not found`)
  }
  const { body } = await system.inject('GET', `/blueprints?id=${id}`, asCarol)
  expect(body).toMatchObject({ items: [], metadata: { pagination: { total: 0 } } })
  expect((await system.inject('GET', '/labels/blueprints/secret-key', asCarol)).body.items).toEqual([])
  expect((await system.inject('GET', '/blueprints', { user: 'carol' })).status).toBe(403)
})

test('the archive of a blueprint that has none is not found', async () => {
  const id = newId()
  await system.send('PUT', `/blueprints/${id}?blueprint_archive_url=http://127.0.0.1:1/`)
  expect(await system.inject('GET', `/blueprints/${id}/archive`)).toMatchObject({
    status: 404,
    body: { error_code: 'not_found_error' },
  })
})

test('deleting goes by its rules, in their order', async () => {
  expect(await remove('nothing')).toMatchObject({
    status: 404,
    body: { error_code: 'not_found_error', message: 'Requested `Blueprint` with ID `nothing` was not found' },
  })

  const failed = newId()
  await system.send('PUT', `/blueprints/${failed}`, { body: blueprintArchive('node_templates: 1') })
  expect(await remove(failed)).toMatchObject({ status: 204, text: '' })

  const uploading = newId()
  await system.db
    .insertInto('blueprints')
    .values({ tenant_id: 0, id: uploading, state: 'parsing', created_by: 'admin' })
    .execute()
  expect(await remove(uploading)).toMatchObject({
    status: 400,
    body: {
      error_code: 'invalid_blueprint_error',
      message: expect.stringContaining(`Blueprint \`${uploading}\` is still parsing.`),
    },
  })
  expect((await remove(uploading, 'force=True')).status).toBe(204)

  const base = await uploaded()
  const importer = newId()
  const importing = blueprintText({ imports: ['cloudify/types/types.yaml', `b--blueprint:${base}`] })
  await system.upload(importer, blueprintArchive(importing))
  await addDeployment(system.db, 'of-base', { blueprintId: base })
  expect(await remove(base)).toMatchObject({
    status: 405,
    body: { error_code: 'blueprint_in_use', message: expect.stringContaining(importer) },
  })
  for (const query of ['force=true', 'force=1']) {
    expect(await remove(base, query)).toMatchObject({
      status: 400,
      body: { error_code: 'dependent_exists_error', message: expect.stringContaining('of-base') },
    })
  }
  // That it failed, as somebody says afterwards, does not take its deployments away.
  await patch(base, { state: 'failed_parsing' })
  expect((await remove(base)).body.error_code).toBe('dependent_exists_error')
  await system.db.deleteFrom('deployments').where('id', '=', 'of-base').execute()
  expect((await remove(base, 'force=true')).status).toBe(204)
  expect((await get(base)).status).toBe(404)
  expect((await remove(importer, '', { user: 'viewer1' })).status).toBe(403)
  expect((await remove(importer, 'force=perhaps')).body.message).toBe(
    'force must be <true/false>, got perhaps',
  )
  expect((await remove(importer)).status).toBe(204)
})

test('a private blueprint is deleted by its owner and administrators only', async () => {
  const [one, two] = [
    await uploaded('visibility=private', { user: 'alice' }),
    await uploaded('visibility=private', { user: 'alice' }),
  ]
  expect((await remove(one, 'force=true', { user: 'bob' })).status).toBe(404)
  expect((await remove(one, '', { user: 'alice' })).status).toBe(204)
  expect((await remove(two)).status).toBe(204)
})

test('an id is free again after its deletion', async () => {
  const id = await uploaded('labels=a=1')
  await remove(id)
  await system.upload(id)
  expect((await get(id)).body.labels).toEqual([])
})

test('label keys and values of a tenant are listed, each once and in order', async () => {
  const asCarol = { user: 'carol', tenant: 'other' }
  for (const labels of ['size=L,zone=b', 'size=L,size=M,zone=a', 'zo%5Cne=x'].map((text) =>
    text.replace('%5C', '_'),
  )) {
    await uploaded(`labels=${labels}`, asCarol)
  }
  const keys = await system.inject('GET', '/labels/blueprints', asCarol)
  expect(keys).toMatchObject({
    status: 200,
    body: { metadata: { pagination: { total: 3, offset: 0, size: 1000 } } },
  })
  expect(keys.body.items).toEqual(['size', 'zo_ne', 'zone'])
  const values = async (path: string) =>
    (await system.inject('GET', `/labels/blueprints${path}`, asCarol)).body.items
  expect(await values('/SIZE')).toEqual(['L', 'M'])
  expect(await values('/unknown')).toEqual([])
  expect(await values('?_search=o_n')).toEqual(['zo_ne'])
  expect(await values('?_size=1&_offset=2')).toEqual(['zone'])
  expect(await values('?_reserved=true')).toContain('csys-obj-type')
})
