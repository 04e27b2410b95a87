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
  await addUser(db, 'bob', { tenants: { 0: 'user' } })
  await addUser(db, 'viewer1', { tenants: { 0: 'viewer' } })
  await addUser(db, 'carol', { tenants: { [other]: 'user' } })
})
afterAll(() => manager.close())

let next = 0
const named = () => `site${next++}`
const put = (name: string, body: unknown = {}, request: TestRequest = {}) =>
  manager.inject('PUT', `/sites/${name}`, { ...request, body })
const post = (name: string, body: unknown, request: TestRequest = {}) =>
  manager.inject('POST', `/sites/${name}`, { ...request, body })
const get = (name: string, request: TestRequest = {}) => manager.inject('GET', `/sites/${name}`, request)
const setSite = (id: string, body: unknown, request: TestRequest = {}) =>
  manager.inject('POST', `/deployments/${id}/set-site`, { ...request, body })
const siteOf = async (id: string, request: TestRequest = {}) =>
  (await manager.inject('GET', `/deployments/${id}`, request)).body.site_name

test('a site is created, shown, listed, changed and deleted', async () => {
  const name = named()
  const created = await put(name, { location: '-50.6,99.74' }, { user: 'alice' })
  expect(created).toMatchObject({
    status: 200,
    body: {
      name,
      location: '-50.6, 99.74',
      latitude: -50.6,
      longitude: 99.74,
      visibility: 'tenant',
      resource_availability: 'tenant',
      private_resource: false,
      created_by: 'alice',
      tenant_name: 'default_tenant',
    },
  })
  expect((await get(name)).body).toEqual(created.body)
  expect((await manager.inject('GET', `/sites?_search=${name.toUpperCase()}`)).body.items).toEqual([
    created.body,
  ])
  const whole = [
    ['0,0', '0.0, 0.0'],
    ['-7,180', '-7.0, 180.0'],
    ['0.5,.25', '0.5, 0.25'],
  ] as const
  for (const [sent, location] of whole)
    expect((await put(named(), { location: sent })).body.location).toBe(location)
  for (const filter of [`name=${name}`, 'latitude=-50.6', 'longitude=99.74&latitude=-50.6']) {
    expect((await manager.inject('GET', `/sites?${filter}&_include=name`)).body.items).toEqual([{ name }])
  }
  expect((await manager.inject('GET', '/sites?latitude=north')).body.message).toBe(
    'latitude must be a number, got north',
  )

  const renamed = named()
  expect(await post(name, { new_name: renamed, location: '', visibility: 'tenant' })).toMatchObject({
    status: 200,
    body: { name: renamed, location: null, created_by: 'alice' },
  })
  expect((await get(name)).status).toBe(404)
  expect(await manager.inject('DELETE', `/sites/${renamed}`)).toMatchObject({ status: 204, text: '' })
  expect((await manager.inject('DELETE', `/sites/${renamed}`)).body).toMatchObject({
    error_code: 'not_found_error',
    message: `Requested \`Site\` with ID \`${renamed}\` was not found`,
  })
})

test.each<[string, unknown, string]>([
  ['no number', { location: 'a,b' }, 'Invalid location'],
  ['out of range', { location: '91,0' }, 'Invalid location'],
  ['one coordinate', { location: '1' }, 'Invalid location'],
  ['no text', { location: 5 }, 'of type str but is of type int'],
  ['infinite', { location: 'Infinity,1' }, 'Invalid location'],
  ['an unknown visibility', { visibility: 'all' }, 'Invalid visibility'],
  ['two visibilities', { visibility: 'tenant', private_resource: true }, "can't be used together"],
])('a site is refused: %s', async (_what, body, message) => {
  expect((await put(named(), body)).body).toMatchObject({
    error_code: 'bad_parameters_error',
    message: expect.stringContaining(message),
  })
})

test('names, permissions, owners and times of creation have their rules', async () => {
  expect((await put('1site')).status).toBe(400)
  expect((await put('a%20b')).status).toBe(400)
  expect((await put(named(), {}, { user: 'viewer1' })).status).toBe(403)
  expect((await put(named(), { created_by: 'bob' }, { user: 'alice' })).status).toBe(403)
  expect((await put(named(), { created_by: 'nobody' })).body.message).toBe('User nobody does not exist.')
  expect(
    (await put(named(), { created_by: 'bob', created_at: '2020-01-02T03:04:05.006Z' })).body,
  ).toMatchObject({ created_by: 'bob', created_at: '2020-01-02T03:04:05.006Z' })
})

test('a taken name is a conflict, of the tenant or global, also to rename to', async () => {
  const [mine, theirs] = [named(), named()]
  await put(mine)
  await put(theirs, { visibility: 'global' }, { tenant: 'other' })
  expect((await put(mine)).body).toMatchObject({
    error_code: 'conflict_error',
    message: `<Site id=\`${mine}\` tenant=\`default_tenant\`> already exists on <Tenant name=\`default_tenant\`> or with global visibility`,
  })
  expect((await put(theirs)).status).toBe(409)
  expect((await post(mine, { new_name: theirs })).body).toMatchObject({
    error_code: 'conflict_error',
    message: `Invalid new name \`${theirs}\`, it already exists on <Tenant name=\`default_tenant\`> or with global visibility`,
  })
  // Read from everywhere, changed from its own tenant only.
  expect((await get(theirs, { user: 'alice' })).body.tenant_name).toBe('other')
  for (const answer of [
    await post(theirs, { location: '1,1' }),
    await manager.inject('DELETE', `/sites/${theirs}`),
  ]) {
    expect(answer.body).toMatchObject({
      error_code: 'illegal_action_error',
      message: `Can't modify the global resource \`${theirs}\` from outside its tenant \`other\``,
    })
  }
})

test('visibility only widens, and becomes global only where no other tenant has the name', async () => {
  const name = named()
  await put(name, { visibility: 'private' }, { user: 'alice' })
  expect((await get(name, { user: 'bob' })).status).toBe(404)
  expect((await put(name, {}, { user: 'bob' })).status).toBe(409)
  expect((await post(name, { visibility: 'tenant' }, { user: 'alice' })).body.visibility).toBe('tenant')
  expect((await post(name, { visibility: 'private' }, { user: 'alice' })).body.message).toContain(
    'already has wider visibility',
  )
  expect((await post(name, { visibility: 'global' }, { user: 'alice' })).body).toMatchObject({
    error_code: 'forbidden_error',
    message: 'User `alice` is not permitted to set or create a global resource',
  })
  await put(name, {}, { tenant: 'other', user: 'carol' })
  expect((await post(name, { visibility: 'global' })).body).toMatchObject({
    error_code: 'conflict_error',
    message: expect.stringContaining('also exists in other tenants'),
  })
})

test('of two requests at once for a name only one creates it, and two tenants never both make it global', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = named()
    const made = await Promise.all([put(name), put(name), put(name)])
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const wide = named()
    const both = await Promise.all([
      put(wide, { visibility: 'global' }),
      put(wide, { visibility: 'global' }, { tenant: 'other' }),
      put(wide, {}, { tenant: 'other' }),
    ])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  }
  const [one, two] = [named(), named()]
  await put(one)
  await put(two)
  const swapped = await Promise.all([post(one, { new_name: two }), post(two, { new_name: one })])
  expect(swapped.map(({ status }) => status)).toEqual([409, 409])
})

test('a deployment is linked to a site, follows its name and outlives it', async () => {
  const [id, name] = [named(), named()]
  await addDeployment(manager.db, id)
  await put(name)
  expect(await setSite(id, { site_name: name })).toMatchObject({ status: 200, body: { site_name: name } })
  expect((await manager.inject('GET', `/deployments?site_name=${name}&_include=id`)).body.items).toEqual([
    { id },
  ])
  const renamed = named()
  await post(name, { new_name: renamed })
  expect(await siteOf(id)).toBe(renamed)
  expect((await setSite(id, { detach_site: true })).body.site_name).toBeNull()
  await setSite(id, { site_name: renamed })
  expect((await manager.inject('DELETE', `/sites/${renamed}`)).status).toBe(204)
  expect(await siteOf(id)).toBeNull()
})

test.each([{}, { site_name: 'a', detach_site: true }, { detach_site: false }])(
  'set-site with %j is refused',
  async (body) => {
    const id = named()
    await addDeployment(manager.db, id)
    expect((await setSite(id, body)).body.error_code).toBe('bad_parameters_error')
  },
)

test('a deployment may not be seen more widely than its site', async () => {
  const [id, narrow, wide] = [named(), named(), named()]
  await addDeployment(manager.db, id, { createdBy: 'alice' })
  await put(narrow, { visibility: 'private' }, { user: 'alice' })
  expect((await setSite(id, { site_name: narrow }, { user: 'alice' })).body).toMatchObject({
    error_code: 'illegal_action_error',
    message: expect.stringContaining("can't be wider than the visibility of its site"),
  })
  expect((await setSite(id, { site_name: narrow }, { user: 'bob' })).body.error_code).toBe('not_found_error')
  expect((await setSite(id, { site_name: 'nope' })).status).toBe(404)
  expect((await setSite(id, { site_name: narrow }, { user: 'viewer1' })).status).toBe(403)
  await put(wide)
  await setSite(id, { site_name: wide })
  const global = await manager.inject('PATCH', `/deployments/${id}/set-visibility`, {
    body: { visibility: 'global' },
  })
  expect(global.body.error_code).toBe('illegal_action_error')
})

test('a new deployment names a site that is there; one of another tenant when it is global', async () => {
  const [id, blueprint, site] = [named(), named(), named()]
  await addBlueprint(manager.db, blueprint)
  const create = (body: object) =>
    manager.inject('PUT', `/deployments/${id}?async_create=true`, {
      body: { blueprint_id: blueprint, ...body },
    })
  expect((await create({ site_name: 'nope' })).body.message).toBe(
    'Requested `Site` with ID `nope` was not found',
  )
  await put(site, {}, { tenant: 'other' })
  expect((await create({ site_name: site })).status).toBe(404)
  await post(site, { visibility: 'global' }, { tenant: 'other' })
  await create({ site_name: site })
  expect(await siteOf(id)).toBe(site)
  await manager.inject('DELETE', `/sites/${site}`, { tenant: 'other' })
  expect(await siteOf(id)).toBeNull()
})
