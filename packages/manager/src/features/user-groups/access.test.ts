import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addExecution } from '../../../test/fixtures.ts'
import { passwordOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'

/** Users, groups and tenants together, as an administrator makes them (docs/reference/access.md). */
let manager: TestManager
let lockMinutes = -1
beforeAll(async () => {
  manager = await startTestManager()
  Object.assign(manager.services, {
    lockout: () => ({ maxFailedLogins: 2, periodMinutes: lockMinutes }),
  })
})
afterAll(() => manager.close())

const send = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  user = 'admin',
) => manager.inject(method, path, { user, tenant: null, ...(body !== undefined && { body }) })
const newUser = (username: string, more: object = {}) =>
  send('PUT', '/users', { username, password: passwordOf(username), ...more })

test('users come and go', async () => {
  expect(await newUser('dana')).toMatchObject({ status: 201, body: { username: 'dana', role: 'default' } })
  expect((await newUser('DANA')).body.error_code).toBe('conflict_error')
  expect((await newUser('1dana')).status).toBe(400)
  expect((await send('PUT', '/users', { username: 'eve' })).body.message).toBe(
    'Missing password in json request body',
  )
  expect((await send('PUT', '/users', { username: 'eve', password: 'four' })).status).toBe(400)
  expect((await newUser('eve', { role: 'viewer' })).body.message).toContain('is a tenant_role')
  expect((await newUser('eve', { role: 'nobody' })).body.message).toBe(
    "Invalid role: `nobody`. Valid system_role roles are: ['sys_admin', 'default']",
  )
  expect((await send('GET', '/user', undefined, 'dana')).status).toBe(200)
  expect((await send('PUT', '/users', { username: 'y', password: 'long enough' }, 'dana')).status).toBe(403)
  expect((await send('DELETE', '/users/dana')).status).toBe(204)
  expect((await send('DELETE', '/users/dana')).status).toBe(404)
  expect((await send('GET', '/user', undefined, 'dana')).status).toBe(401)
})

test('a hash goes with its user, and what is no hash is refused', async () => {
  await newUser('hal')
  const hash = (await send('GET', '/users/hal?_include_hash=true')).body.password_hash
  const copy = {
    username: 'hal2',
    password: hash,
    is_prehashed: true,
    created_at: '2020-01-01T00:00:00.000Z',
  }
  expect((await send('PUT', '/users', copy)).body.created_at).toBe('2020-01-01T00:00:00.000Z')
  const credentials = `Basic ${Buffer.from(`hal2:${passwordOf('hal')}`).toString('base64')}`
  const answer = await manager.app.inject({ url: '/api/v3.1/user', headers: { authorization: credentials } })
  expect(answer.statusCode).toBe(200)
  const plain = { username: 'hal3', password: 'not hashed', is_prehashed: true }
  expect((await send('PUT', '/users', plain)).status).toBe(400)
})

test('the last administrator stays, and so does the first', async () => {
  expect((await send('POST', '/users/active/admin', { action: 'deactivate' })).body.message).toBe(
    'Cannot deactivate the last active sys_admin',
  )
  expect((await send('DELETE', '/users/admin')).body.error_code).toBe('illegal_action_error')
  await newUser('root2', { role: 'sys_admin' })
  const both = await Promise.all([
    send('POST', '/users/active/root2', { action: 'deactivate' }),
    send('POST', '/users/root2', { role: 'default' }),
    send('POST', '/users/admin', { role: 'default' }),
  ])
  expect(both.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  const left = await manager.db
    .selectFrom('users')
    .select('username')
    .where('role', '=', 'sys_admin')
    .where('active', '=', true)
    .execute()
  expect(left).toHaveLength(1)
  await manager.db.updateTable('users').set({ role: 'sys_admin', active: true }).where('id', '=', 0).execute()
})

test('who is deactivated does not come in', async () => {
  await newUser('ivy')
  expect((await send('POST', '/users/active/ivy', { action: 'activate' })).body.error_code).toBe(
    'conflict_error',
  )
  expect((await send('POST', '/users/active/ivy', { action: 'stop' })).body).toMatchObject({ active: false })
  expect((await send('GET', '/user', undefined, 'ivy')).body.message).toBe(
    'User unauthorized: No authentication info provided',
  )
  expect((await send('POST', '/users/active/ivy', { action: 'activate' })).body.active).toBe(true)
  expect((await send('GET', '/user', undefined, 'ivy')).status).toBe(200)
})

test('too many failed logins lock an account, until it is unlocked', async () => {
  await newUser('lea')
  const { body: made } = await send('POST', '/tokens', {}, 'lea')
  const byToken = async () => {
    const headers = { 'authentication-token': made.value }
    return (await manager.app.inject({ url: '/api/v3.1/user', headers })).statusCode
  }
  const wrong = () =>
    manager.app.inject({ url: '/api/v3.1/user', headers: { authorization: `Basic ${btoa('lea:wrong')}` } })
  for (let count = 0; count < 3; count += 1) expect((await wrong()).statusCode).toBe(401)
  expect((await send('GET', '/users/lea')).body.is_locked).toBe(false)
  expect((await send('POST', '/users/unlock/lea')).status).toBe(409)
  lockMinutes = 5
  expect((await send('GET', '/users/lea')).body.is_locked).toBe(true)
  expect((await send('GET', '/user', undefined, 'lea')).body.message).toBe(
    'User unauthorized: Authentication failed for <User username=`lea`>. Wrong credentials or locked account',
  )
  expect(await byToken()).toBe(401)
  expect((await send('POST', '/users/unlock/lea')).body).toMatchObject({ username: 'lea', is_locked: false })
  expect((await send('GET', '/user', undefined, 'lea')).status).toBe(200)
  expect(await byToken()).toBe(200)
  lockMinutes = -1
})

test('tenants are made, entered and emptied', async () => {
  expect(await send('POST', '/tenants/lab')).toMatchObject({ status: 201, body: { name: 'lab', users: 0 } })
  expect((await send('POST', '/tenants/lab', { rabbitmq_password: '' })).status).toBe(409)
  for (const name of ['users', 'user-groups', '1', 'a%20b']) {
    expect((await send('POST', `/tenants/${name}`)).status, name).toBe(400)
  }
  await newUser('mia')
  const member = { username: 'mia', tenant_name: 'lab' }
  expect((await send('PATCH', '/tenants/users', { ...member, role: 'viewer' })).status).toBe(404)
  expect((await send('PUT', '/tenants/users', { ...member, role: 'sys_admin' })).body.message).toBe(
    'Role `sys_admin` is a system_role and cannot be assigned as a tenant_role',
  )
  expect((await send('PUT', '/tenants/users', { ...member, role: 'viewer' })).body).toMatchObject({
    users: 1,
  })
  expect((await send('PUT', '/tenants/users', { ...member, role: 'user' })).body.error_code).toBe(
    'conflict_error',
  )
  expect((await send('PUT', '/tenants/users', { username: 'nobody', tenant_name: 'lab' })).status).toBe(404)
  expect((await send('PUT', '/tenants/users', { username: 'mia', tenant_name: 'nope' })).status).toBe(403)
  expect((await send('PUT', '/tenants/users', { username: 'mia' })).body.message).toBe(
    'Missing tenant_name in json request body',
  )
  expect((await send('PATCH', '/tenants/users', { ...member, role: 'manager' })).status).toBe(200)
  expect((await send('PATCH', '/tenants/users?_include=name', { ...member, role: 'manager' })).body).toEqual({
    name: 'lab',
  })
  // Who forgets to say which role has nobody's taken away.
  expect((await send('PATCH', '/tenants/users', member)).body.message).toBe(
    'Missing role in json request body',
  )
  expect(
    (await manager.inject('GET', '/tenants/lab?_get_data=true', { user: 'mia', tenant: null })).body
      .user_roles,
  ).toEqual({
    direct: { mia: 'manager' },
    groups: {},
  })
  expect((await send('DELETE', '/tenants/lab')).body.message).toBe('Cannot delete tenant `lab`: it has users')
  expect((await send('DELETE', '/users/mia')).body.message).toBe('Cannot delete user `mia`: has tenants')
  expect((await send('DELETE', '/tenants/users', member)).status).toBe(204)
  expect((await send('DELETE', '/tenants/users', member)).status).toBe(404)
  const { id } = await manager.db
    .selectFrom('tenants')
    .select('id')
    .where('name', '=', 'lab')
    .executeTakeFirstOrThrow()
  await addExecution(manager.db, { tenantId: id, status: 'terminated' })
  await addBlueprint(manager.db, 'kept', { tenantId: id })
  expect((await send('DELETE', '/tenants/lab')).body.message).toBe(
    'Cannot delete tenant `lab`: it has blueprints',
  )
  await manager.db.deleteFrom('blueprints').where('tenant_id', '=', id).execute()
  expect((await send('DELETE', '/tenants/lab')).status).toBe(204)
  expect((await send('GET', '/tenants/lab')).status).toBe(403)
  expect((await send('DELETE', '/tenants/default_tenant')).status).toBe(409)
})

test('a group gives its members its roles, everywhere and in tenants', async () => {
  await send('POST', '/tenants/shop')
  await newUser('ned')
  expect(await send('POST', '/user-groups', { group_name: 'ops', ldap_group_dn: 'cn=Ops' })).toMatchObject({
    status: 201,
    body: { name: 'ops', ldap_dn: 'cn=Ops', role: 'default', users: 0, tenants: 0 },
  })
  for (const taken of [{ group_name: 'OPS' }, { group_name: 'other', ldap_group_dn: 'CN=ops' }]) {
    expect((await send('POST', '/user-groups', taken)).body.error_code).toBe('conflict_error')
  }
  expect((await send('POST', '/user-groups', { group_name: 'users' })).status).toBe(400)
  const membership = { username: 'ned', group_name: 'ops' }
  expect((await send('PUT', '/user-groups/users', membership)).body.users).toBe(1)
  expect((await send('PUT', '/user-groups/users', membership)).status).toBe(409)
  const inShop = { group_name: 'ops', tenant_name: 'shop' }
  expect((await send('PUT', '/tenants/user-groups', { ...inShop, role: 'manager' })).body).toMatchObject({
    groups: 1,
    users: 1,
  })
  await send('PUT', '/tenants/users', { username: 'ned', tenant_name: 'shop', role: 'viewer' })
  expect((await send('GET', '/tenants/shop?_get_data=true')).body).toMatchObject({
    groups: { ops: 'manager' },
    users: { ned: { 'tenant-role': 'viewer', roles: ['manager', 'viewer'] } },
    user_roles: { direct: { ned: 'viewer' }, groups: { ops: { role: 'manager', users: ['ned'] } } },
  })
  expect((await send('GET', '/user?_get_data=true', undefined, 'ned')).body).toMatchObject({
    groups: ['ops'],
    group_system_roles: { default: ['ops'] },
    tenants: { shop: { 'tenant-role': 'viewer', roles: ['manager', 'viewer'] } },
    tenant_roles: { direct: { shop: 'viewer' }, groups: { shop: { manager: ['ops'] } } },
  })
  expect((await send('GET', '/user-groups/Ops?_get_data=true')).body).toMatchObject({
    tenants: { shop: 'manager' },
    users: ['ned'],
  })
  // `tenant_get` is the group's to give here, and `user_list` once the group administers.
  expect((await send('GET', '/tenants/shop', undefined, 'ned')).status).toBe(200)
  expect((await send('GET', '/users', undefined, 'ned')).status).toBe(403)
  expect((await send('POST', '/user-groups/ops', { role: 'sys_admin' })).body.role).toBe('sys_admin')
  expect((await send('GET', '/users', undefined, 'ned')).status).toBe(200)
  expect((await send('GET', '/user-groups?role=sys_admin')).body.items).toHaveLength(1)
  expect((await send('DELETE', '/user-groups/ops')).status).toBe(409)
  expect((await send('DELETE', '/tenants/user-groups', inShop)).status).toBe(204)
  expect((await send('DELETE', '/user-groups/users', membership)).status).toBe(204)
  expect((await send('DELETE', '/user-groups/users', membership)).status).toBe(404)
  expect((await send('DELETE', '/user-groups/ops')).status).toBe(204)
})

test('administrators edit the matrix, at once and for everybody', async () => {
  await newUser('otto')
  await send('PUT', '/tenants/users', { username: 'otto', tenant_name: 'default_tenant', role: 'viewer' })
  const upload = () => manager.inject('PATCH', '/blueprints/none', { user: 'otto', body: { labels: [] } })
  expect((await upload()).status).toBe(403)
  expect(await send('PUT', '/permissions/viewer/blueprint_upload', undefined, 'otto')).toMatchObject({
    status: 401,
    body: { message: 'User unauthorized: Only admin users are permitted to edit permissions' },
  })
  expect((await send('PUT', '/permissions/viewer/blueprint_upload')).body).toEqual({
    role: 'viewer',
    permission: 'blueprint_upload',
  })
  expect((await send('PUT', '/permissions/viewer/blueprint_upload')).status).toBe(409)
  expect((await upload()).status).toBe(404)
  expect((await send('GET', '/permissions/viewer', undefined, 'otto')).body.items).toContainEqual({
    role: 'viewer',
    permission: 'blueprint_upload',
  })
  expect((await send('DELETE', '/permissions/viewer/blueprint_upload')).status).toBe(204)
  expect((await send('DELETE', '/permissions/viewer/blueprint_upload')).status).toBe(404)
  expect((await upload()).status).toBe(403)
  expect((await send('PUT', '/permissions/viewer/of_a_plugin')).status).toBe(200)
  expect((await send('PUT', '/permissions/viewer/__proto__')).status).toBe(200)
  expect((await send('GET', '/permissions/nobody')).status).toBe(404)
  const { items, metadata } = (
    await send('GET', '/permissions?_size=2&_offset=1&_sort=-permission&role=viewer&role=default')
  ).body
  expect(metadata.pagination).toMatchObject({ size: 2, offset: 1, total: expect.any(Number) })
  expect(metadata.pagination.total).toBeGreaterThan(100)
  expect(items).toHaveLength(2)
  expect((await send('GET', '/permissions?permission=site_create&_sort=role')).body.items).toEqual(
    ['manager', 'sys_admin', 'user'].map((role) => ({ role, permission: 'site_create' })),
  )
  expect((await send('GET', '/permissions/viewer?_search=LE_LI&_include=permission')).body.items).toEqual([
    { permission: 'execution_schedule_list' },
  ])
  expect((await send('GET', '/permissions?colour=red')).status).toBe(400)
  // The first administrator cannot be shut out.
  expect((await send('DELETE', '/permissions/sys_admin/user_list')).status).toBe(204)
  expect((await send('GET', '/users')).status).toBe(200)
  expect((await send('PUT', '/permissions/sys_admin/user_list')).status).toBe(200)
})
