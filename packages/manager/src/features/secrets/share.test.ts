import { afterAll, beforeAll, expect, test } from 'vitest'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager
let target: TestManager

beforeAll(async () => {
  ;[manager, target] = await Promise.all([startTestManager(), startTestManager()])
  for (const { db } of [manager, target]) {
    const other = await addTenant(db, 'other')
    await addTenant(db, 'closed')
    await addUser(db, 'alice', { tenants: { 0: 'user', [other]: 'user' } })
    await addUser(db, 'bob', { tenants: { 0: 'user', [other]: 'viewer' } })
  }
})
afterAll(() => Promise.all([manager.close(), target.close()]))

const put = (to: TestManager, key: string, body: unknown, request: TestRequest = {}) =>
  to.inject('PUT', `/secrets/${key}`, { ...request, body })
const exported = async (query: string, request: TestRequest = {}) =>
  (await manager.inject('GET', `/secrets/share/export?${query}`, request)).body
const imported = (body: unknown, request: TestRequest = {}) =>
  target.inject('POST', '/secrets/share/import', { ...request, body })
const secretValue = async (key: string, request: TestRequest = {}) =>
  (await target.inject('GET', `/secrets/${key}`, request)).body.value

const entry = (more: object = {}) => ({
  key: 'k',
  value: 'v',
  visibility: 'tenant',
  tenant_name: 'default_tenant',
  is_hidden_value: false,
  encrypted: false,
  ...more,
})

test('what one manager exports under a passphrase, another one imports', async () => {
  await put(manager, 'a1', { value: 'one' }, { user: 'alice' })
  await put(manager, 'a2', { value: 'two', is_hidden_value: true }, { user: 'alice' })
  await put(manager, 'a3', { value: 'three', visibility: 'private' }, { user: 'alice' })
  await put(manager, 'a4', { value: 'four' }, { tenant: 'other' })

  expect((await exported('', { user: 'bob' })).map(({ key }: { key: string }) => key)).toEqual(['a1'])
  const plain = await exported('', { user: 'alice' })
  expect(plain).toEqual([
    {
      key: 'a1',
      value: 'one',
      visibility: 'tenant',
      tenant_name: 'default_tenant',
      is_hidden_value: false,
      encrypted: false,
      provider: null,
      provider_options: null,
    },
    expect.objectContaining({ key: 'a2', value: 'two', is_hidden_value: true }),
    expect.objectContaining({ key: 'a3', visibility: 'private' }),
  ])
  expect(await exported('visibility=private&_include=key,value')).toEqual([{ key: 'a3', value: 'three' }])
  expect(await exported('_search=A2&_include_metadata=true')).toMatchObject([
    { key: 'a2', creator: 'alice', created_at: expect.any(String) },
  ])
  const list = await exported('_all_tenants=True&_passphrase=correct-horse')
  expect(list).toHaveLength(4)
  expect(JSON.stringify(list)).not.toContain('three')

  const map = { default_tenant: 'other', other: 'default_tenant' }
  const wrong = await imported({
    secrets_list: list,
    override_collisions: false,
    passphrase: 'wrong-horse',
    tenant_map: map,
  })
  expect(wrong.body.secrets_errors['0'].encrypted).toContain('passphrase')
  expect(
    (await imported({ secrets_list: list, override_collisions: false })).body.secrets_errors['3'],
  ).toEqual({
    'No passphrase': expect.any(String),
  })
  const right = await imported({
    secrets_list: list,
    override_collisions: false,
    passphrase: 'correct-horse',
    tenant_map: map,
  })
  expect(right).toMatchObject({ status: 200, body: { colliding_secrets: {}, secrets_errors: {} } })
  expect(await secretValue('a2', { tenant: 'other' })).toBe('two')
  expect(await secretValue('a4')).toBe('four')
})

test('collisions are reported, and replaced when that is asked for', async () => {
  await put(target, 'c1', { value: 'old' })
  const list = [
    entry({ key: 'c1', value: 'new', is_hidden_value: true }),
    entry({ key: 'c2', value: 'fresh' }),
  ]
  const kept = await imported({ secrets_list: list, override_collisions: false })
  expect(kept.body).toEqual({ colliding_secrets: { default_tenant: ['c1'] }, secrets_errors: {} })
  expect([await secretValue('c1'), await secretValue('c2')]).toEqual(['old', 'fresh'])
  const replaced = await imported({ secrets_list: list, override_collisions: 'true' })
  expect(replaced.body.colliding_secrets).toEqual({ default_tenant: ['c1', 'c2'] })
  expect((await target.inject('GET', '/secrets/c1')).body).toMatchObject({
    value: 'new',
    is_hidden_value: true,
  })
})

test('what replaces a value fits the schema that is there', async () => {
  await put(target, 'shaped', { value: { a: 1 }, schema: { type: 'object' } })
  const replace = (value: string) =>
    imported({ secrets_list: [entry({ key: 'shaped', value })], override_collisions: true })
  expect((await replace('no JSON')).body).toEqual({
    colliding_secrets: {},
    secrets_errors: { 0: { value: expect.stringContaining('Error validating secret value') } },
  })
  expect(await secretValue('shaped')).toEqual({ a: 1 })
  expect((await replace('{"b": 2}')).body.secrets_errors).toEqual({})
  expect(await secretValue('shaped')).toEqual({ b: 2 })
})

test("nobody's hidden secret is replaced by an import", async () => {
  await put(target, 'hidden', { value: 'deep', is_hidden_value: true }, { user: 'alice' })
  const { body } = await imported(
    { secrets_list: [entry({ key: 'hidden', value: 'x' })], override_collisions: true },
    { user: 'bob' },
  )
  expect(body.secrets_errors['0'].permission).toContain('not permitted')
  expect(await secretValue('hidden')).toBe('deep')
})

test('what is wrong with an entry is said by its number, and the good ones land', async () => {
  const list = [
    entry({ key: 'good' }),
    {},
    entry({ is_hidden_value: 'yes', encrypted: 1 }),
    entry({ visibility: 'all' }),
    entry({ tenant_name: 'nope' }),
    entry({ tenant_name: 'closed' }),
    entry({ key: '1x' }),
    entry({ provider: 'nope' }),
    entry({ creator: 'admin', created_at: '2020-01-01' }),
    entry({ key: 'wide', visibility: 'global' }),
    'text',
    entry({ value: '' }),
    null,
  ]
  const { status, body } = await imported(
    { secrets_list: list, override_collisions: false },
    { user: 'alice' },
  )
  expect(status).toBe(200)
  expect(body.secrets_errors).toEqual({
    1: {
      'missing secret fields': ['key', 'is_hidden_value', 'visibility', 'tenant_name', 'value', 'encrypted'],
    },
    2: { is_hidden_value: 'Not boolean', encrypted: 'Not boolean' },
    3: { visibility: expect.stringContaining('Invalid visibility') },
    4: { tenant_name: expect.any(String) },
    5: { tenant_name: expect.any(String) },
    6: { key: expect.stringContaining('must begin with a letter') },
    7: { provider: expect.stringContaining('was not found') },
    8: { creator: expect.any(String), timestamp: expect.any(String) },
    9: { permission: expect.stringContaining('global') },
    10: expect.objectContaining({ 'missing secret fields': expect.anything() }),
    11: { value: 'Empty' },
    12: expect.objectContaining({ 'missing secret fields': expect.anything() }),
  })
  expect(await secretValue('good')).toBe('v')
  const metadata = { creator: 'nobody', created_at: 'x' }
  const byAdmin = await imported({
    secrets_list: [entry({ key: 'm1', creator: 'alice', created_at: '2020-01-01' }), entry(metadata)],
    override_collisions: false,
  })
  expect(byAdmin.body.secrets_errors).toEqual({
    1: { creator_valid: 'User nobody does not exist', timestamp: expect.any(String) },
  })
  expect((await target.inject('GET', '/secrets/m1')).body).toMatchObject({
    created_by: 'alice',
    created_at: '2020-01-01T00:00:00.000Z',
  })
})

test.each<[string, unknown, string]>([
  ['no list', { override_collisions: true }, 'Missing secrets_list'],
  ['no decision', { secrets_list: [] }, 'Missing override_collisions'],
  [
    'a list that is none',
    { secrets_list: {}, override_collisions: true },
    'of type list but is of type dict',
  ],
  [
    'tenants that are not there',
    { secrets_list: [], override_collisions: true, tenant_map: { a: 'x' } },
    "The following destination tenants do not exist on the Manager: ['x']",
  ],
])('an import is refused: %s', async (_what, body, message) => {
  expect(await imported(body)).toMatchObject({
    status: 400,
    body: { error_code: 'bad_parameters_error', message: expect.stringContaining(message) },
  })
})
