import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager
let other: number

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  other = await addTenant(db, 'other')
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'bob', { tenants: { 0: 'user', [other]: 'user' } })
  await addUser(db, 'chief', { tenants: { 0: 'manager' } })
  await addUser(db, 'viewer1', { tenants: { 0: 'viewer' } })
  await addUser(db, 'carol', { tenants: { [other]: 'manager' } })
})
afterAll(() => manager.close())

let next = 0
const named = () => `key${next++}`
const put = (key: string, body: unknown, request: TestRequest = {}) =>
  manager.inject('PUT', `/secrets/${key}`, { ...request, body })
const patch = (path: string, body: unknown, request: TestRequest = {}) =>
  manager.inject('PATCH', `/secrets/${path}`, { ...request, body })
const get = (key: string, request: TestRequest = {}) => manager.inject('GET', `/secrets/${key}`, request)
const remove = (key: string, request: TestRequest = {}) =>
  manager.inject('DELETE', `/secrets/${key}`, request)

test('a secret is created, shown, listed without its value, changed and deleted', async () => {
  const key = named()
  const created = await put(key, { value: 'deep' }, { user: 'alice' })
  expect(created).toMatchObject({
    status: 200,
    body: {
      key,
      visibility: 'tenant',
      resource_availability: 'tenant',
      private_resource: false,
      is_hidden_value: false,
      schema: null,
      provider_name: null,
      provider_options: null,
      created_by: 'alice',
      tenant_name: 'default_tenant',
    },
  })
  // Answers of writes show the ciphertext.
  expect(created.body.value).toMatch(/^gAAAAA[\w-]+=*$/)
  expect(await get(key, { user: 'viewer1' })).toMatchObject({ status: 200, body: { key, value: 'deep' } })
  expect((await get(`${key}?_skip_value=True`)).body.value).toBe('')
  const secret = { value: 'x', private_resource: true }
  expect((await put(named(), secret)).body.visibility).toBe('private')
  expect((await put(named(), { ...secret, visibility: 'tenant' })).status).toBe(400)
  expect((await get(`${key}?_include=value`)).body).toEqual({ value: 'deep' })
  const [item] = (await manager.inject('GET', `/secrets?_search=${key}`)).body.items
  expect(item).toMatchObject({ key, is_hidden_value: false, provider_name: null })
  expect(item).not.toHaveProperty('value')
  expect((await manager.inject('GET', '/secrets?_include=value')).body.error_code).toBe(
    'no_such_include_field_error',
  )
  expect((await patch(key, { value: 'new' }, { user: 'bob' })).status).toBe(200)
  expect((await get(key)).body.value).toBe('new')
  expect(await remove(key)).toMatchObject({ status: 204, text: '' })
  expect((await get(key)).body.message).toBe(`Requested \`Secret\` with ID \`${key}\` was not found`)
})

test('nothing of a value is stored in the clear', async () => {
  const key = named()
  await put(key, { value: 'plaintext-of-a-secret' })
  const rows = await manager.db.selectFrom('secrets').selectAll().where('key', '=', key).execute()
  expect(JSON.stringify(rows)).not.toContain('plaintext-of-a-secret')
})

test('an existing key is a conflict, or gets another value and nothing else', async () => {
  const key = named()
  await put(key, { value: 'one' })
  expect((await put(key, { value: 'two' })).body).toMatchObject({
    error_code: 'conflict_error',
    message: `<Secret id=\`${key}\` tenant=\`default_tenant\`> already exists on <Tenant name=\`default_tenant\`> or with global visibility`,
  })
  await put(key, { value: 'two', update_if_exists: true, is_hidden_value: true, visibility: 'global' })
  expect((await get(key)).body).toMatchObject({
    value: 'two',
    is_hidden_value: false,
    visibility: 'tenant',
  })
})

test.each<[string, unknown, number, string]>([
  ['no value', {}, 400, 'Missing value in json request body'],
  ['an empty value', { value: '' }, 400, 'cannot be empty'],
  ['no value at all', { value: null }, 400, 'cannot be empty'],
  ['a number', { value: 5 }, 400, 'value parameter is expected to be of type str but is of type int'],
  ['an unknown provider', { value: 'a', provider_name: 'nope' }, 404, 'SecretsProvider'],
  ['a schema that is a text', { value: 'a', schema: 'b' }, 400, 'schema parameter'],
  ['a schema of no type', { value: '1', schema: { type: 'nope' } }, 400, 'Invalid secret schema'],
  ['an unreadable pattern', { value: 'a', schema: { pattern: '(' } }, 400, 'Invalid secret schema'],
  ['a visibility', { value: 'a', visibility: 'x' }, 400, 'Invalid visibility'],
])('a secret is refused: %s', async (_what, body, status, message) => {
  expect(await put(named(), body)).toMatchObject({
    status,
    body: { message: expect.stringContaining(message) },
  })
})

test('values with a schema are JSON, and fit it', async () => {
  const key = named()
  const schema = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }
  expect((await put(key, { value: '{"port": "x"}', schema })).body).toMatchObject({
    error_code: 'conflict_error',
    message: expect.stringContaining('Error validating secret value'),
  })
  await put(key, { value: { port: 80 }, schema })
  expect((await get(key)).body).toMatchObject({ value: { port: 80 }, schema })
  await patch(key, { value: '{"port": 81}' })
  expect((await get(key)).body.value).toEqual({ port: 81 })
  const wrong = await patch(key, { value: '{"port": "very-secret"}' })
  expect(wrong.status).toBe(409)
  expect(wrong.text).not.toContain('very-secret')
  const text = named()
  await put(text, { value: 'plain', schema: { type: 'string' } })
  expect((await get(text)).body.value).toBe('plain')
})

test('a schema that never comes to an end does not stop the manager', async () => {
  const schema = { type: 'string', pattern: '^(a+)+$' }
  const answer = await put(named(), { value: `${'a'.repeat(60)}b`, schema })
  expect(answer.body).toMatchObject({ error_code: 'bad_parameters_error' })
})

test('others are answered while a schema is checked that takes for ever', async () => {
  const order: string[] = []
  const schema = { type: 'string', pattern: '^(a+)+$' }
  const slow = put(named(), { value: `${'a'.repeat(60)}b`, schema }).then(() => order.push('slow'))
  const properties = { type: 'object', patternProperties: { '^(a+)+$': {} } }
  const other = put(named(), { value: `{"${'a'.repeat(60)}b": 1}`, schema: properties })
  for (let index = 0; index < 5; index += 1) {
    await manager.inject('GET', '/secrets')
    order.push('list')
  }
  await slow
  expect(order.indexOf('slow')).toBeGreaterThan(0)
  expect((await other).body).toMatchObject({ error_code: 'bad_parameters_error' })
  // And the next one finds a thread again.
  expect((await put(named(), { value: 'a', schema: { type: 'string' } })).status).toBe(200)
})

test('a hidden value is for its creator and administrators, to read and to change', async () => {
  const key = named()
  await put(key, { value: 'deep', is_hidden_value: true }, { user: 'alice' })
  const seen = async (user: string) => (await get(key, { user })).body.value
  expect([await seen('alice'), await seen('chief'), await seen('admin')]).toEqual(['deep', 'deep', 'deep'])
  expect([await seen('bob'), await seen('viewer1')]).toEqual(['', ''])
  for (const answer of [
    await patch(key, { value: 'x' }, { user: 'bob' }),
    await patch(key, { is_hidden_value: false }, { user: 'bob' }),
    await patch(`${key}/set-visibility`, { visibility: 'tenant' }, { user: 'bob' }),
    await put(key, { value: 'x', update_if_exists: true }, { user: 'bob' }),
    await remove(key, { user: 'bob' }),
  ]) {
    expect(answer.status).toBe(403)
  }
  expect((await patch(key, { is_hidden_value: false }, { user: 'chief' })).body.is_hidden_value).toBe(false)
  expect(await seen('bob')).toBe('deep')
  expect((await patch(key, { is_hidden_value: true }, { user: 'bob' })).status).toBe(403)
})

test('private, tenant, global: who sees it, who may widen it, and that nobody narrows it', async () => {
  const key = named()
  await put(key, { value: 'v', visibility: 'private' }, { user: 'alice' })
  expect((await get(key, { user: 'bob' })).status).toBe(404)
  expect((await put(key, { value: 'w', update_if_exists: true }, { user: 'bob' })).status).toBe(404)
  expect((await patch(`${key}/set-visibility`, { visibility: 'tenant' }, { user: 'alice' })).status).toBe(200)
  expect((await patch(key, { visibility: 'private' }, { user: 'alice' })).body.error_code).toBe(
    'illegal_action_error',
  )
  expect((await patch(`${key}/set-global`, undefined, { user: 'alice' })).status).toBe(403)
  expect((await patch(`${key}/set-global`, undefined)).body.visibility).toBe('global')
  expect((await get(key, { user: 'carol', tenant: 'other' })).body.value).toBe('v')
  expect((await put(key, { value: 'x' }, { user: 'carol', tenant: 'other' })).status).toBe(409)
  for (const answer of [
    await remove(key, { user: 'carol', tenant: 'other' }),
    await patch(key, { value: 'x' }, { user: 'carol', tenant: 'other' }),
    await put(key, { value: 'x', update_if_exists: true }, { user: 'carol', tenant: 'other' }),
  ]) {
    expect(answer.body.error_code).toBe('illegal_action_error')
  }
  // Hidden, it stays so for the administrators of other tenants.
  await patch(key, { is_hidden_value: true })
  expect((await get(key, { user: 'carol', tenant: 'other' })).body.value).toBe('')
})

test('owners change, and empty changes are refused', async () => {
  const key = named()
  await put(key, { value: 'v' }, { user: 'alice' })
  expect((await patch(key, {})).body.error_code).toBe('illegal_action_error')
  expect((await patch(key, { value: '' })).body.error_code).toBe('bad_parameters_error')
  expect((await patch(key, { creator: 'bob' }, { user: 'alice' })).status).toBe(403)
  expect((await patch(key, { creator: 'nobody' })).body.message).toBe('User nobody does not exist.')
  expect((await patch(key, { creator: 'bob' })).body.created_by).toBe('bob')
  expect((await put(named(), { value: 'v' }, { user: 'viewer1' })).status).toBe(403)
})

test('of several requests at once for one key one creates it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const key = named()
    const made = await Promise.all([1, 2, 3, 4].map((value) => put(key, { value: `v${value}` })))
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const wide = named()
    const both = await Promise.all([
      put(wide, { value: 'a', visibility: 'global' }),
      put(wide, { value: 'b', visibility: 'global' }, { tenant: 'other' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const gone = await Promise.all([remove(key), patch(key, { value: 'x' }), remove(key)])
    expect(gone.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(gone.every(({ status }) => [200, 204, 404].includes(status))).toBe(true)
  }
})

test('functions read secrets of the deployment and of no other tenant', async () => {
  const [id, key, theirs] = [named(), named(), named()]
  await addDeployment(manager.db, id)
  await put(key, { value: '{"a": [1, "deep"]}' }, { user: 'alice' })
  await put(theirs, { value: 'x' }, { tenant: 'other' })
  const evaluate = (payload: unknown, user = 'bob') =>
    manager.inject('POST', '/evaluate/functions', { user, body: { deployment_id: id, payload } })
  expect((await evaluate({ a: { get_secret: [key, 'a', 1] } })).body.payload).toEqual({ a: 'deep' })
  for (const missing of [theirs, 'nope']) {
    expect((await evaluate({ a: { get_secret: missing } })).body).toMatchObject({
      error_code: 'functions_evaluation_error',
      message: expect.stringContaining(`Required secrets: [${missing}] don't exist in this tenant`),
    })
  }
  const own = named()
  await put(own, { value: 'v', visibility: 'private' }, { user: 'alice' })
  expect((await evaluate({ a: { get_secret: own } }, 'alice')).body.payload).toEqual({ a: 'v' })
  expect((await evaluate({ a: { get_secret: own } }, 'bob')).status).toBe(400)
})

test('no function gives a hidden value to whom it is hidden from, but to operations', async () => {
  const [id, user, key] = [named(), named(), named()]
  await put(key, { value: '{"a": "hush-hush"}', is_hidden_value: true }, { user: 'alice' })
  const hidden = { get_secret: key }
  await addDeployment(manager.db, id, {
    inputs: { word: hidden },
    outputs: {
      word: { value: { concat: ['<', hidden, '>'] } },
      inner: { value: { get_secret: [key, 'a'] } },
    },
    capabilities: { word: { value: { nested: [hidden] } } },
    nodes: [
      {
        id: 'vm',
        properties: { word: hidden },
        instances: [{ id: `${id}_1`, runtimeProperties: { word: hidden } }],
      },
    ],
  })
  await addDeployment(manager.db, user)
  const payloads = [
    hidden,
    { concat: [hidden] },
    { string_upper: hidden },
    { string_split: [hidden, 'a'] },
    { get_input: 'word' },
    { get_property: ['vm', 'word'] },
    { get_attribute: ['vm', 'word'] },
    { get_attributes_list: ['vm', 'word'] },
    { get_capability: [id, 'word'] },
    { get_capability: [id, 'word', 'nested', 0] },
    { get_secret: [key, 'a'] },
    { get_label: hidden },
    { get_attribute: [hidden, 'x'] },
  ]
  const told = async (caller: object) => {
    const reads = await Promise.all([
      ...payloads.map((x) =>
        manager.inject('POST', '/evaluate/functions', {
          ...caller,
          body: { deployment_id: id, payload: { x } },
        }),
      ),
      manager.inject('GET', `/deployments/${id}/outputs`, caller),
      manager.inject('GET', `/deployments/${id}/capabilities`, caller),
      manager.inject('GET', `/nodes?deployment_id=${id}&_evaluate_functions=true`, caller),
      manager.inject('GET', `/node-instances/${id}_1?_evaluate_functions=true`, caller),
      manager.inject('POST', `/searches/capabilities?_deployment_id=${id}`, {
        ...caller,
        body: { constraints: {} },
      }),
    ])
    expect(reads.filter(({ status }) => status >= 500)).toEqual([])
    return reads.filter(({ text }) => /hush-hush/i.test(text)).length
  }
  expect(await told({ user: 'bob' })).toBe(0)
  expect(await told({ user: 'alice' })).toBeGreaterThan(10)
  const { token } = await addExecution(manager.db, { createdBy: 'bob', deploymentId: id, status: 'started' })
  expect(await told({ user: null, executionToken: token })).toBeGreaterThan(10)
})

test('providers are made, shown, used by secrets, changed and deleted', async () => {
  const [local, vault, key] = [named(), named(), named()]
  const provider = (
    method: 'PUT' | 'PATCH' | 'GET' | 'DELETE',
    path: string,
    body?: unknown,
    user = 'admin',
  ) => manager.inject(method, `/secrets-providers${path}`, { body, user })
  expect((await provider('PUT', '', { name: local, type: 'local' }, 'alice')).body).toMatchObject({
    id: local,
    name: local,
    type: 'local',
    connection_parameters: null,
    created_by: 'alice',
  })
  expect((await provider('PUT', '', { name: local, type: 'local' })).status).toBe(409)
  expect((await provider('PUT', '', { name: named(), type: 'nope' })).status).toBe(400)
  expect((await provider('PUT', '', { type: 'local' })).body.message).toContain('Missing name')
  expect((await provider('PUT', '', { name: local, test: true })).status).toBe(204)

  const parameters = { token: 'very-secret' }
  await provider('PUT', '', { name: vault, type: 'vault', connection_parameters: parameters })
  expect((await provider('GET', `/${vault}`)).body.connection_parameters).toEqual(parameters)
  expect((await provider('GET', `/${vault}`, undefined, 'alice')).body.connection_parameters).toBeNull()
  const { items } = (await provider('GET', `?name=${vault}`)).body
  expect(items).toMatchObject([{ name: vault, connection_parameters: parameters }])

  await put(key, { value: 'mine', provider_name: local, provider_options: { a: 1 } })
  expect((await get(key)).body).toMatchObject({
    value: 'mine',
    provider_name: local,
    provider_options: { a: 1 },
  })
  await patch(key, { provider_name: vault })
  expect((await get(key)).body).toMatchObject({ error_code: 'secrets_provider_error' })
  expect((await get(`${key}?_skip_value=true`)).body.provider_name).toBe(vault)
  expect((await provider('DELETE', `/${vault}`)).body.error_code).toBe('dependent_exists_error')
  expect((await provider('PATCH', `/${vault}`, { type: 'local' })).body.type).toBe('local')
  expect((await get(key)).body.value).toBe('mine')
  await remove(key)
  expect((await provider('DELETE', `/${vault}`)).status).toBe(204)
  expect((await provider('GET', `/${vault}`)).status).toBe(404)
})
