import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  const other = await addTenant(db, 'other')
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'bob', { tenants: { 0: 'user', [other]: 'viewer' } })
  // Made in this order, each a second after the one before.
  const made: [
    string,
    { tenantId?: number; visibility?: 'private' | 'tenant' | 'global'; createdBy?: string },
  ][] = [
    ['app_1', { createdBy: 'alice' }],
    ['App%2', { createdBy: 'bob' }],
    ['web', { createdBy: 'alice' }],
    ['mine', { createdBy: 'alice', visibility: 'private' }],
    ['everyones', { tenantId: other, visibility: 'global' }],
    ['theirs', { tenantId: other }],
  ]
  for (const [index, [id, owner]] of made.entries()) {
    await addBlueprint(db, id, owner)
    await db
      .updateTable('blueprints')
      .set({
        created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
        main_file_name: index % 2 ? 'b.yaml' : 'a.yaml',
      })
      .where('id', '=', id)
      .execute()
  }
  await addBlueprint(db, 'hidden')
  await db.updateTable('blueprints').set({ is_hidden: true }).where('id', '=', 'hidden').execute()
  await db
    .insertInto('blueprint_labels')
    .values(
      [
        ['app_1', 'tier', 'z'],
        ['web', 'tier', 'a'],
      ].map(([blueprint_id = '', key = '', value = '']) => ({
        tenant_id: 0,
        blueprint_id,
        key,
        value,
        created_by: 'alice',
      })),
    )
    .execute()
})
afterAll(() => manager.close())

const list = (query: string, request: TestRequest = {}) =>
  manager.inject('GET', `/blueprints?${query}`, request)

test.each<[string, readonly string[]]>([
  ['', ['app_1', 'App%2', 'web', 'mine', 'everyones']],
  ['id=web', ['web']],
  ['id=web&id=app_1', ['app_1', 'web']],
  ['id=web&id=app_1&created_by=bob', []],
  ['created_by=alice&created_by=bob&main_file_name=b.yaml', ['App%2', 'mine']],
  ['id=WEB', []],
  ['visibility=private', ['mine']],
  ['private_resource=True', ['mine']],
  ['private_resource=0&tenant_name=other', ['everyones']],
  ['resource_availability=global', ['everyones']],
  ['is_hidden=true', ['hidden']],
  ['is_hidden=false&id=web', ['web']],
  ['created_at=2026-01-01T00:00:02.000Z', ['web']],
  ['state=uploaded&id=mine', ['mine']],
  ['_search=APP', ['app_1', 'App%2']],
  ['_search=%25', ['App%2']],
  ['_search=p_', ['app_1']],
  ['_search=%5C', []],
  ['_search=web&id=app_1', []],
  ['_sort=id', ['app_1', 'App%2', 'everyones', 'mine', 'web']],
  ['_sort=-created_at', ['everyones', 'mine', 'web', 'App%2', 'app_1']],
  ['_sort=%2Bmain_file_name&_sort=-created_at', ['everyones', 'web', 'app_1', 'mine', 'App%2']],
  ['_sort=label:tier&id=app_1&id=web', ['web', 'app_1']],
  ['_size=2', ['app_1', 'App%2']],
  ['_size=2&_offset=2', ['web', 'mine']],
  ['_offset=4', ['everyones']],
  ['_offset=5', []],
  ['_size=0', []],
  ['_get_all_results=true&_size=1', ['app_1', 'App%2', 'web', 'mine', 'everyones']],
  ['_range=created_at,2026-01-01T00:00:01,2026-01-01T00:00:03', ['App%2', 'web']],
  ['_range=created_at,,2026-01-01%2000:00:01.000', ['app_1']],
  ['_all_tenants=true', ['app_1', 'App%2', 'web', 'mine', 'everyones', 'theirs']],
])('?%s lists %j', async (query, ids) => {
  const { status, body } = await list(query)
  expect({ status, message: body.message }).toEqual({ status: 200, message: undefined })
  // Ids are compared by the database's own rules of order, which are not JavaScript's.
  const got = body.items.map((item: { id: string }) => item.id)
  if (query === '_sort=id') expect(new Set(got)).toEqual(new Set(ids))
  else expect(got).toEqual(ids)
})

test('the whole list says how long it is, whatever page is asked for', async () => {
  const pageOf = async (query: string) => (await list(query)).body.metadata
  expect(await pageOf('')).toEqual({ pagination: { total: 5, offset: 0, size: 1000 }, filtered: null })
  expect(await pageOf('_size=2&_offset=2')).toMatchObject({ pagination: { total: 5, offset: 2, size: 2 } })
  expect(await pageOf('_size=0')).toMatchObject({ pagination: { total: 5, offset: 0, size: 0 } })
  expect(await pageOf('_offset=50')).toMatchObject({ pagination: { total: 5, offset: 50, size: 1000 } })
  expect(await pageOf('_size=100000')).toMatchObject({ pagination: { total: 5 } })
  expect(await pageOf('_search=app')).toMatchObject({ pagination: { total: 2 } })
})

test.each<[string, string, string]>([
  ['_size=-1', 'bad_parameters_error', '_size'],
  ['_size=x', 'bad_parameters_error', '_size'],
  ['_size=1.5', 'bad_parameters_error', '_size'],
  ['_offset=-1', 'bad_parameters_error', '_offset'],
  ['_offset=99999999999999999999', 'bad_parameters_error', '_offset'],
  ['_sort=colour', 'bad_parameters_error', "Sort keys '['colour']' do not exist. Allowed keys are: ["],
  ['_sort=plan', 'bad_parameters_error', "Sort keys '['plan']' do not exist"],
  ['colour=red', 'bad_parameters_error', "Filter keys '['colour']' do not exist. Allowed keys are: ["],
  ['plan=1', 'bad_parameters_error', "Filter keys '['plan']' do not exist"],
  [
    '_include=id,colour',
    'no_such_include_field_error',
    "Include keys '['colour']' do not exist. Allowed keys are: [",
  ],
  ['_all_tenants=x', 'bad_parameters_error', '_all_tenants must be <true/false>, got x'],
  ['_range=created_at,,', 'bad_parameters_error', 'Invalid range'],
  ['_range=created_at,yesterday,', 'bad_parameters_error', 'yesterday is not a legal time format'],
  ['_range=id,a,b', 'bad_parameters_error', "Filter keys '['id']' do not exist"],
  ['id=%00', 'bad_parameters_error', 'NUL'],
  ['_search=%00', 'bad_parameters_error', 'NUL'],
  ['_filter_id=nothing', 'not_found_error', 'Requested `BlueprintsFilter` with ID `nothing` was not found'],
])('?%s is refused', async (query, code, message) => {
  expect(await list(query)).toMatchObject({
    status: code === 'not_found_error' ? 404 : 400,
    body: { error_code: code, message: expect.stringContaining(message) },
  })
})

test('_include cuts lists, single resources and answers of writes down to its fields', async () => {
  expect((await list('_include=id,created_by&id=web')).body.items).toEqual([
    { id: 'web', created_by: 'alice' },
  ])
  expect((await list('_include=id&_include=visibility&id=web')).body.items).toEqual([
    { id: 'web', visibility: 'tenant' },
  ])
  const one = (query: string) => manager.inject('GET', `/blueprints/web?${query}`)
  expect((await one('_include=id,labels')).body).toMatchObject({
    id: 'web',
    labels: [{ key: 'tier', value: 'a' }],
  })
  expect((await one('_include=state')).body).toEqual({ state: 'uploaded' })
  expect(await one('_include=colour')).toMatchObject({ status: 400 })
  const patched = await manager.inject('PATCH', '/blueprints/web?_include=id', { body: { description: 'x' } })
  expect(patched.body).toEqual({ id: 'web' })
})

test('a blueprint is an object of its own, and the list form of one an envelope', async () => {
  const { body } = await manager.inject('GET', '/blueprints/web')
  expect(body).toMatchObject({ id: 'web', upload_execution: { id: null } })
  expect((await list('id=web')).body).toEqual({
    items: [body],
    metadata: { pagination: { total: 1, offset: 0, size: 1000 }, filtered: null },
  })
  expect(await manager.inject('GET', '/blueprints/nothing')).toMatchObject({
    status: 404,
    body: { message: 'Requested `Blueprint` with ID `nothing` was not found', server_traceback: null },
  })
})

test('private rows of others are not there, nor those of other tenants', async () => {
  const idsFor = async (query: string, request: TestRequest) =>
    (await list(query, request)).body.items.map((item: { id: string }) => item.id)
  expect(await idsFor('', { user: 'bob' })).toEqual(['app_1', 'App%2', 'web', 'everyones'])
  expect(await idsFor('id=mine', { user: 'bob' })).toEqual([])
  expect(await idsFor('id=mine', { user: 'alice' })).toEqual(['mine'])
  expect(await idsFor('', { tenant: 'other' })).toEqual(['everyones', 'theirs'])
  // Only those tenants in which the caller may list.
  expect(await idsFor('_all_tenants=true', { user: 'bob' })).toEqual([
    'app_1',
    'App%2',
    'web',
    'everyones',
    'theirs',
  ])
  expect(await idsFor('_all_tenants=true', { user: 'alice' })).toEqual([
    'app_1',
    'App%2',
    'web',
    'mine',
    'everyones',
  ])
})

test('with ids that are in several tenants the own one is meant', async () => {
  await addTenant(manager.db, 'third').then((tenantId) => addBlueprint(manager.db, 'web', { tenantId }))
  expect((await manager.inject('GET', '/blueprints/web', { tenant: 'third' })).body.tenant_name).toBe('third')
  expect((await manager.inject('GET', '/blueprints/web')).body.tenant_name).toBe('default_tenant')
})
