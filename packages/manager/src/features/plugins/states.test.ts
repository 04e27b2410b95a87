import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addPlugin, addTenant } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
let other: number
beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  other = await addTenant(db, 'other')
  for (const [tenantId, id] of [
    [0, 'here'],
    [other, 'there'],
  ] as const) {
    await addDeployment(db, id, { tenantId, nodes: [{ id: 'n', instances: [{ id: `${id}_1` }] }] })
    await db
      .insertInto('agents')
      .values({ tenant_id: tenantId, id, node_instance_id: `${id}_1`, state: 'started', created_by: 'admin' })
      .execute()
  }
  const process = { address: '10.0.0.1', version: '1', last_seen: new Date('2100-01-01') }
  await db
    .insertInto('processes')
    .values([
      { ...process, id: 'a', hostname: 'one', roles: ['worker'] },
      { ...process, id: 'b', hostname: 'two', roles: ['worker', 'scheduler'] },
      { ...process, id: 'c', hostname: 'api-only', roles: ['api'] },
      { ...process, id: 'd', hostname: 'gone', roles: ['worker'], last_seen: new Date(0) },
    ])
    .execute()
  await addPlugin(db, 'p')
  await addPlugin(db, 'shared', { visibility: 'global' })
})
afterAll(() => manager.close())

type Place = { manager?: string; agent?: string; state: string; error: string | null }
const statesOf = (body: { installation_state: Place[] }) =>
  body.installation_state.map(({ manager: name, agent, state, error }) => [name ?? agent, state, error])
const post = (body: object, id = 'p') => manager.inject('POST', `/plugins/${id}`, { body })
const put = (body: object, request = {}, id = 'p') =>
  manager.inject('PUT', `/plugins/${id}`, { body, ...request })

test('managers and agents are asked to install, all that run operations where none are named', async () => {
  const named = await post({ action: 'install', managers: ['one'], agents: ['here'] })
  expect(named.status).toBe(200)
  expect(statesOf(named.body)).toEqual([
    ['one', 'pending-install', null],
    ['here', 'pending-install', null],
  ])
  expect(statesOf((await post({ action: 'install' })).body)).toEqual([
    ['one', 'pending-install', null],
    ['two', 'pending-install', null],
    ['here', 'pending-install', null],
  ])
})

test('whoever installs says how it goes, and what is under way is not asked for again', async () => {
  expect(statesOf((await put({ state: 'error', manager: 'one', error: 'no space' })).body)).toContainEqual([
    'one',
    'error',
    'no space',
  ])
  await put({ state: 'installing', manager: 'two' })
  expect(statesOf((await put({ state: 'installed', agent: 'here' })).body)).toContainEqual([
    'here',
    'installed',
    null,
  ])
  expect(statesOf((await post({ action: 'install' })).body)).toEqual([
    ['one', 'pending-install', null],
    ['two', 'installing', null],
    ['here', 'installed', null],
  ])
})

test.each([
  ['an unknown action', 'POST', { action: 'remove' }, 400, 'unknown_action'],
  ['an unknown manager', 'POST', { action: 'install', managers: ['none'] }, 404, 'not_found_error'],
  [
    'a manager that runs nothing',
    'POST',
    { action: 'install', managers: ['api-only'] },
    404,
    'not_found_error',
  ],
  ['a manager that is gone', 'POST', { action: 'install', managers: ['gone'] }, 404, 'not_found_error'],
  ['an unknown agent', 'POST', { action: 'install', agents: ['none'] }, 404, 'not_found_error'],
  ['another tenant’s agent', 'POST', { action: 'install', agents: ['there'] }, 404, 'not_found_error'],
  ['an unknown state', 'PUT', { state: 'done', manager: 'one' }, 400, 'bad_parameters_error'],
  ['both', 'PUT', { state: 'installed', manager: 'one', agent: 'here' }, 409, 'conflict_error'],
  ['neither', 'PUT', { state: 'installed' }, 409, 'conflict_error'],
  ['the state of an unknown manager', 'PUT', { state: 'installed', manager: 'none' }, 404, 'not_found_error'],
  ['the state of an unknown agent', 'PUT', { state: 'installed', agent: 'there' }, 404, 'not_found_error'],
  ['no change', 'PATCH', {}, 400, 'illegal_action_error'],
  ['an unknown key', 'PATCH', { package_name: 'x' }, 400, 'bad_parameters_error'],
  ['labels of another form', 'PATCH', { labels: { a: 'b' } }, 400, 'bad_parameters_error'],
  ['an unknown owner', 'PATCH', { creator: 'nobody' }, 400, 'bad_parameters_error'],
] as const)('%s is refused', async (_what, method, body, status, code) => {
  expect(await manager.inject(method, '/plugins/p', { body })).toMatchObject({
    status,
    body: { error_code: code },
  })
})

test('an execution’s token says how an installation went, in its own tenant', async () => {
  const { token } = await addExecution(manager.db, { createdBy: 'admin', deploymentId: 'here' })
  expect((await put({ state: 'installed', manager: 'two' }, { executionToken: token })).status).toBe(200)
  const elsewhere = await addExecution(manager.db, {
    tenantId: other,
    createdBy: 'admin',
    deploymentId: 'there',
  })
  const as = { executionToken: elsewhere.token, tenant: 'other' }
  expect((await put({ state: 'installed', manager: 'one' }, as)).status).toBe(404)
  expect((await put({ state: 'installed', manager: 'one' }, as, 'shared')).body.error_code).toBe(
    'illegal_action_error',
  )
  const own = await put({ state: 'installed', agent: 'there' }, as, 'shared')
  expect(statesOf(own.body)).toEqual([['there', 'installed', null]])
  // The tenant of the plugin does not see that agent.
  expect(statesOf((await manager.inject('GET', '/plugins/shared')).body)).toEqual([])
})

test('a plugin goes with its states and files, and its archive is left to the collector', async () => {
  await addPlugin(manager.db, 'short', { agents: ['here'] })
  expect((await manager.inject('DELETE', '/plugins/short')).status).toBe(204)
  for (const table of ['plugin_states', 'plugin_files'] as const) {
    const rows = await manager.db.selectFrom(table).selectAll().where('plugin_id', '=', 'short').execute()
    expect(rows).toEqual([])
  }
})

test('no plugin is deleted while a workflow of the whole manager runs', async () => {
  const { id } = await addExecution(manager.db, { workflowId: 'restore_snapshot' })
  await manager.db.updateTable('executions').set({ is_system_workflow: true }).where('id', '=', id).execute()
  expect(await manager.inject('DELETE', '/plugins/p?force=true')).toMatchObject({
    status: 400,
    body: { error_code: 'existing_running_execution_error' },
  })
  await manager.db.deleteFrom('executions').where('id', '=', id).execute()
})

test('older versions answer a deletion with what was deleted, and have no visibility to set', async () => {
  for (const version of ['v2', 'v2.1', 'v3']) {
    await addPlugin(manager.db, 'old', { packageName: `old-${version}` })
    const answer = await manager.inject('DELETE', `/api/${version}/plugins/old`)
    expect(answer).toMatchObject({ status: 200, body: { id: 'old', package_name: `old-${version}` } })
  }
  expect(
    (await manager.inject('PATCH', '/api/v2/plugins/p/set-visibility', { body: { visibility: 'tenant' } }))
      .status,
  ).toBe(404)
})

test('lists filter by every field and look into package names', async () => {
  await addPlugin(manager.db, 'listed', { packageName: 'zebra', version: '7.7' })
  for (const query of [
    'package_name=zebra',
    'package_version=7.7',
    '_search=ebr',
    'id=listed',
    'title=zebra',
  ]) {
    const { items } = (await manager.inject('GET', `/plugins?${query}&_include=id`)).body
    expect(items, query).toEqual([{ id: 'listed' }])
  }
  const sorted = (await manager.inject('GET', '/plugins?_sort=-package_version&_include=id')).body.items
  expect(sorted[0]).toEqual({ id: 'listed' })
  expect((await manager.inject('GET', '/plugins?_include=none')).body.error_code).toBe(
    'no_such_include_field_error',
  )
})
