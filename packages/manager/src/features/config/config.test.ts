import { listen } from '@tutti/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addUser } from '../../../test/fixtures.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let manager: TestSystem
beforeAll(async () => {
  manager = await startTestSystem()
  await addUser(manager.db, 'mona', { tenants: { 0: 'manager' } })
  await addUser(manager.db, 'vera', { tenants: { 0: 'viewer' } })
})
afterAll(() => manager.close())

const get = (path: string, request = {}) => manager.inject('GET', path, request)
const put = (name: string, value: unknown, request = {}) =>
  manager.inject('PUT', `/config/${name}`, { body: { value }, ...request })

test('shows the settings by scope, and who may do what beside all of them', async () => {
  const all = (await get('/config')).body
  expect(all.authorization.permissions.blueprint_upload).toEqual(['sys_admin', 'manager', 'user'])
  expect(all.authorization.roles).toContainEqual({
    id: 5,
    name: 'viewer',
    type: 'tenant_role',
    description: expect.any(String),
  })
  const workflow = (await get('/config?scope=workflow', { tenant: null })).body
  expect(workflow).not.toHaveProperty('authorization')
  expect(workflow.items).toContainEqual({
    name: 'task_retries',
    value: 60,
    scope: 'workflow',
    schema: { type: 'integer', minimum: -1 },
    is_editable: true,
    admin_only: false,
    updated_at: null,
    updater_name: null,
  })
  expect((await get('/config?scope=authorization')).body.items).toEqual([])
})

test('a setting is found by its name, or by scope and name', async () => {
  expect((await get('/config/task_retry_interval')).body).toMatchObject({ value: 15, scope: 'workflow' })
  expect((await get('/config/agent.min_workers')).body).toMatchObject({ value: 2, scope: 'agent' })
  expect(await get('/config/min_workers')).toMatchObject({
    status: 409,
    body: { error_code: 'ambiguous_name' },
  })
  expect(await get('/config/nope')).toMatchObject({ status: 404, body: { error_code: 'not_found_error' } })
  expect(await get('/config/constructor')).toMatchObject({ status: 404 })
})

test('texts become the numbers and flags that the schema wants', async () => {
  expect(await put('workflow.subgraph_retries', '3')).toMatchObject({
    status: 200,
    body: { value: 3, updater_name: 'admin', updated_at: expect.any(String) },
  })
  expect((await get('/config/subgraph_retries')).body.value).toBe(3)
  expect(
    (await put('insecure_endpoints_disabled', 'False', { body: { value: 'False', force: true } })).body,
  ).toMatchObject({ value: false })
})

test.each<[string, string, unknown, number, string, string]>([
  [
    'too large',
    'max_concurrent_workflows',
    1001,
    409,
    'conflict_error',
    'Error validating max_concurrent_workflows: ',
  ],
  ['too large for the database', 'account_lock_period', 1e20, 409, 'conflict_error', 'Error validating'],
  ['no number', 'max_concurrent_workflows', 'many', 409, 'conflict_error', 'Error validating'],
  ['no integer', 'task_retries', 1.5, 409, 'conflict_error', 'Error validating'],
  ['null', 'task_retries', null, 409, 'conflict_error', 'Error validating'],
  ['a level that is none', 'rest_service_log_level', 'LOUD', 409, 'conflict_error', 'Error validating'],
  ['a path that is fixed', 'rest_service_log_path', '/x', 409, 'conflict_error', 'is not editable'],
  ['not editable', 'file_server_type', 's3', 409, 'conflict_error', 'file_server_type is not editable'],
  ['unknown', 'nope', 1, 404, 'not_found_error', 'Config'],
  ['of two scopes', 'max_workers', 1, 409, 'ambiguous_name', 'agent.max_workers'],
])('a value that is %s is refused', async (_what, name, value, status, code, message) => {
  const answer = await put(name, value)
  expect(answer).toMatchObject({ status, body: { error_code: code } })
  expect(answer.body.message).toContain(message)
})

test('a request without a value is refused, and so is a caller without the permission', async () => {
  expect((await manager.inject('PUT', '/config/task_retries', { body: {} })).body.message).toBe(
    'Missing value in json request body',
  )
  expect(await put('task_retries', 1, { user: 'vera' })).toMatchObject({ status: 403 })
  expect((await put('task_retries', 60, { user: 'mona' })).body).toMatchObject({ updater_name: 'mona' })
})

test('what only system administrators may see is hidden from all others', async () => {
  await put('log_fetch_password', 'hush')
  expect((await get('/config/log_fetch_password')).body).toMatchObject({ value: 'hush', admin_only: true })
  const seen = await get('/config?scope=rest', { user: 'mona' })
  expect(seen.text).not.toContain('hush')
  expect((await get('/config/log_fetch_password', { user: 'mona' })).body.value).toBe('********')
  expect(await put('log_fetch_password', 'x', { user: 'mona' })).toMatchObject({
    status: 401,
    body: { error_code: 'unauthorized_error' },
  })
})

test('lists are as long as is set, and other managers hear of it', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const listener = listen(manager.connection, resolve)
  await put('default_page_size', 3)
  expect((await get('/tenants')).body.metadata.pagination.size).toBe(3)
  expect((await get('/tenants?_size=50')).body.metadata.pagination.size).toBe(50)
  // The connection that listens may have come too late for the first change.
  const again = setInterval(() => void put('default_page_size', 1000), 200)
  expect(await promise).toEqual({ kind: 'state_changed', state: 'config' })
  clearInterval(again)
  await listener.close()
})

test('a manager that was not told reads it within a bound, and at once when told', async () => {
  await manager.db.updateTable('config').set({ value: '7' }).where('name', '=', 'default_page_size').execute()
  await manager.services.config.refresh()
  expect((await get('/tenants')).body.metadata.pagination.size).toBe(7)
  await put('default_page_size', 1000)
})

test('the log level changes at once, and workers unpack no more than is set', async () => {
  await put('rest_service_log_level', 'DEBUG')
  expect(manager.services.log.level).toBe('debug')
  await put('rest_service_log_level', 'CRITICAL')
  expect(manager.services.log.level).toBe('fatal')
  await put('blueprint_folder_max_files', 0)
  // The worker is told by a notification, or sees it within the bound.
  for (let round = 0; ; round += 1) {
    // Another archive each time: what has been unpacked once is not unpacked again.
    const archive = blueprintArchive(blueprintText({ description: `round ${round}` }))
    const { status, body } = await manager.send('PUT', '/blueprints/large', { body: archive })
    if (status === 400) {
      expect(body.error_code).toBe('invalid_blueprint_error')
      break
    }
    await manager.inject('DELETE', '/blueprints/large')
  }
})

test('accounts are locked after as many failed logins as are set, and open again when the lock is switched off', async () => {
  await addUser(manager.db, 'luke', { tenants: { 0: 'user' } })
  await put('failed_logins_before_account_lock', 1)
  await put('account_lock_period', 60)
  const wrong = Buffer.from('luke:wrong').toString('base64')
  for (let failure = 0; failure < 2; failure += 1) {
    const answer = await manager.app.inject({
      method: 'GET',
      url: '/api/v3.1/version',
      headers: { authorization: `Basic ${wrong}` },
    })
    expect(answer.statusCode).toBe(401)
  }
  expect((await get('/version', { user: 'luke' })).status).toBe(401)
  await put('account_lock_period', -1)
  expect((await get('/version', { user: 'luke' })).status).toBe(200)
})
