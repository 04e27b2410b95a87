import { afterAll, beforeAll, expect, test } from 'vitest'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  const lab = await addTenant(manager.db, 'lab')
  await addTenant(manager.db, 'empty')
  await addUser(manager.db, 'alice', { tenants: { [lab]: 'user' } })
  await addUser(manager.db, 'victor', { tenants: { [lab]: 'viewer' } })
})
afterAll(() => manager.close())

const get = (path: string, user = 'admin') => manager.inject('GET', path, { user, tenant: null })

test('administrators see every tenant, others their own', async () => {
  const names = async (user: string, query = '') =>
    (await get(`/tenants${query}`, user)).body.items.map((item: { name: string }) => item.name)
  expect(await names('admin')).toEqual(['default_tenant', 'empty', 'lab'])
  expect(await names('alice')).toEqual(['lab'])
  expect(await names('admin', '?_search=a&_sort=-name')).toEqual(['lab', 'default_tenant'])
  expect(await names('admin', '?name=lab')).toEqual(['lab'])
  expect((await get('/tenants?_size=1&_offset=1')).body.metadata.pagination).toEqual({
    total: 3,
    offset: 1,
    size: 1,
  })
  expect((await get('/tenants?_include=name', 'alice')).body.items).toEqual([{ name: 'lab' }])
})

test('a tenant is shown with the number of its users, or with them and their roles', async () => {
  const empty = { rabbitmq_username: null, rabbitmq_password: null, rabbitmq_vhost: null }
  expect((await get('/tenants/lab', 'alice')).body).toEqual({
    name: 'lab',
    groups: 0,
    users: 2,
    user_roles: null,
    ...empty,
  })
  expect((await get('/tenants/lab?_get_data=True', 'alice')).body).toEqual({
    name: 'lab',
    groups: {},
    users: {
      alice: { 'tenant-role': 'user', roles: ['user'] },
      victor: { 'tenant-role': 'viewer', roles: ['viewer'] },
    },
    user_roles: { direct: { alice: 'user', victor: 'viewer' }, groups: {} },
    ...empty,
  })
  const { items } = (await get('/tenants?_get_data=true&name=empty')).body
  expect(items).toMatchObject([{ users: {}, user_roles: { direct: {}, groups: {} } }])
})

test('tenants that do not exist, or that one may not look into, are forbidden', async () => {
  expect(await get('/tenants/nope')).toMatchObject({
    status: 403,
    body: {
      message: 'Authorization failed: Tried to authenticate with invalid tenant name: nope',
      error_code: 'forbidden_error',
    },
  })
  expect((await get('/tenants/lab', 'victor')).status).toBe(403)
  expect((await get('/tenants/default_tenant', 'alice')).status).toBe(403)
  expect((await get('/tenants?_get_data=true', 'alice')).body.message).toBe(
    'User `alice` is not permitted to perform the action tenant_list_get_data',
  )
})
