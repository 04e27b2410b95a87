import { afterAll, beforeAll, expect, test } from 'vitest'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { passwordOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  const lab = await addTenant(manager.db, 'lab')
  await addUser(manager.db, 'alice', { tenants: { 0: 'user', [lab]: 'manager' } })
  await addUser(manager.db, 'bob')
})
afterAll(() => manager.close())

const get = (path: string, user = 'admin') => manager.inject('GET', path, { user, tenant: null })
const set = (username: string, body: object, user = 'admin') =>
  manager.inject('POST', `/users/${username}`, { body, user, tenant: null })

test('who asks for themselves is told what they ask for', async () => {
  const self = await manager.inject('GET', '/user?_include=username', { tenant: null })
  expect(self.body).toEqual({ username: 'admin' })
})

test('everybody sees themselves, with their tenants when asked', async () => {
  expect((await get('/user', 'alice')).body).toEqual({
    username: 'alice',
    role: 'default',
    active: true,
    is_locked: false,
    created_at: expect.stringMatching(/Z$/),
    first_login_at: expect.stringMatching(/Z$/),
    last_login_at: expect.stringMatching(/Z$/),
    show_getting_started: true,
    group_system_roles: {},
    groups: 0,
    tenants: 2,
    tenant_roles: null,
    password_hash: null,
  })
  expect((await get('/user?_get_data=true', 'alice')).body).toMatchObject({
    groups: [],
    tenants: {
      default_tenant: { 'tenant-role': 'user', roles: ['user'] },
      lab: { 'tenant-role': 'manager', roles: ['manager'] },
    },
    tenant_roles: { direct: { default_tenant: 'user', lab: 'manager' }, groups: {} },
  })
  expect((await get('/user?_get_data=true', 'bob')).body).toMatchObject({
    tenants: {},
    tenant_roles: { direct: {}, groups: {} },
  })
})

test('users are listed and read by administrators only', async () => {
  const names = async (query: string) =>
    (await get(`/users?${query}`)).body.items.map((item: { username: string }) => item.username)
  expect(await names('')).toEqual(['admin', 'alice', 'bob'])
  expect(await names('role=default&_sort=-username')).toEqual(['bob', 'alice'])
  expect(await names('_search=LI')).toEqual(['alice'])
  expect(await names('_size=1&_offset=1')).toEqual(['alice'])
  expect((await get('/users/ALICE')).body.username).toBe('alice')
  expect((await get('/users/nobody')).body.message).toBe('Requested `User` with ID `nobody` was not found')
  for (const path of ['/users', '/users/bob']) {
    expect((await get(path, 'bob')).body.error_code, path).toBe('forbidden_error')
  }
  expect((await get('/users/alice?_include_hash=true')).body.password_hash).toMatch(/^\$argon2id\$/)
  expect((await get('/user?_include_hash=true', 'bob')).status).toBe(403)
})

test('one may set the own password; others only with user_update', async () => {
  const refused = await set('alice', { password: 'stolen' }, 'bob')
  expect(refused).toMatchObject({
    status: 403,
    body: { message: 'User `bob` is not permitted to perform the action user_update' },
  })
  expect((await set('bob', { password: 'another-one' }, 'bob')).body).toMatchObject({ username: 'bob' })
  expect((await get('/user', 'bob')).body.message).toBe(
    'User unauthorized: Authentication failed for <User username=`bob`>. Wrong credentials or locked account',
  )
  expect((await set('bob', { password: passwordOf('bob') })).status).toBe(200)
  expect((await get('/user', 'bob')).status).toBe(200)
  expect((await set('bob', { password: 'four' })).body.message).toBe(
    'The password is too short. Minimum allowed length is 5 characters',
  )
  expect((await set('bob', { password: 'x'.repeat(257) })).status).toBe(400)
})

test('roles are set by administrators, in the old words too, and one administrator stays', async () => {
  expect((await set('bob', { role: 'sys_admin' }, 'bob')).status).toBe(403)
  expect((await set('bob', { role: 'administrator' })).body.role).toBe('sys_admin')
  expect((await set('bob', { role: 'user' })).body.role).toBe('default')
  expect((await set('bob', { role: 'viewer' })).body.message).toBe(
    'Role `viewer` is a tenant_role and cannot be assigned as a system_role',
  )
  expect((await set('bob', { role: 'king' })).body.message).toBe(
    "Invalid role: `king`. Valid system_role roles are: ['sys_admin', 'default']",
  )
  expect(await set('admin', { role: 'default' })).toMatchObject({
    status: 400,
    body: { message: 'Cannot modify the role of the last active sys_admin' },
  })
})

test('exactly one thing is set at a time', async () => {
  expect((await set('bob', {})).body.message).toBe(
    'No valid user settings provided. Available settings: password, role, show_getting_started',
  )
  expect((await set('bob', { password: 'enough', role: 'default' })).status).toBe(400)
  expect((await set('bob', { show_getting_started: 'False' }, 'bob')).body.show_getting_started).toBe(false)
  expect((await set('nobody', { password: 'enough' })).status).toBe(404)
})
