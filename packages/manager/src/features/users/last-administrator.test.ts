import { afterEach, beforeEach, expect, test } from 'vitest'
import { addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeEach(async () => {
  manager = await startTestManager()
})
afterEach(() => manager.close())

const ask = (method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}) =>
  manager.inject(method, path, { body })

/** The first administrator may do everything whatever their role: they try, once somebody else is the only one. */
async function onlyByGroup() {
  await addUser(manager.db, 'bob')
  await ask('POST', '/user-groups', { group_name: 'chiefs', ldap_group_dn: null, role: 'sys_admin' })
  expect((await ask('PUT', '/user-groups/users', { username: 'bob', group_name: 'chiefs' })).status).toBe(200)
  expect((await ask('POST', '/users/admin', { role: 'default' })).status).toBe(200)
}

const refusal = {
  status: 400,
  body: { error_code: 'illegal_action_error', message: expect.stringContaining('the last active sys_admin') },
}

test.each([
  ['deactivated', 'POST', '/users/active/admin', { action: 'deactivate' }],
  ['given another role', 'POST', '/users/admin', { role: 'default' }],
] as const)('the last administrator is not %s', async (_what, method, path, body) => {
  expect(await ask(method, path, body)).toMatchObject(refusal)
  await addUser(manager.db, 'second', { role: 'sys_admin' })
  expect((await ask(method, path, body)).status).toBe(200)
})

test.each([
  ['deactivated', 'POST', '/users/active/bob', { action: 'deactivate' }],
  ['taken out of the group', 'DELETE', '/user-groups/users', { username: 'bob', group_name: 'chiefs' }],
  ['in a group of another role', 'POST', '/user-groups/chiefs', { role: 'default' }],
] as const)('who is the last one by a group is not %s', async (_what, method, path, body) => {
  await onlyByGroup()
  expect(await ask(method, path, body)).toMatchObject(refusal)
  expect((await ask('POST', '/users/admin', { role: 'sys_admin' })).status).toBe(200)
  expect((await ask(method, path, body)).status).toBeLessThan(300)
})

test('nor is the group deleted, or the user', async () => {
  await onlyByGroup()
  expect((await ask('DELETE', '/user-groups/chiefs')).status).toBe(409)
  expect((await ask('DELETE', '/users/bob')).status).toBe(409)
  await addUser(manager.db, 'carl', { role: 'sys_admin' })
  await ask('POST', '/users/active/bob', { action: 'deactivate' })
  expect(await ask('DELETE', '/users/carl')).toMatchObject(refusal)
})

test('a user whom another system knows does not count', async () => {
  await addUser(manager.db, 'external', { role: 'sys_admin' })
  await manager.db
    .updateTable('users')
    .set({ password_hash: null })
    .where('username', '=', 'external')
    .execute()
  expect(await ask('POST', '/users/active/admin', { action: 'deactivate' })).toMatchObject(refusal)
})

test('of requests that come together one is refused', async () => {
  await addUser(manager.db, 'one', { role: 'sys_admin' })
  await addUser(manager.db, 'two', { role: 'sys_admin' })
  await ask('POST', '/users/admin', { role: 'default' })
  const answers = await Promise.all([
    ask('POST', '/users/active/one', { action: 'deactivate' }),
    ask('POST', '/users/two', { role: 'default' }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
})
