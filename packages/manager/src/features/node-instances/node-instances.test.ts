import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addDeployment(manager.db, 'app', {
    nodes: [
      {
        id: 'vm',
        instances: [{ id: 'vm_1' }, { id: 'vm_2' }, { id: 'vm_3' }, { id: 'vm_4' }, { id: 'vm_5' }],
      },
    ],
  })
})
afterAll(() => manager.close())

const patch = (id: string, body: object, query = '') =>
  manager.inject('PATCH', `/node-instances/${id}${query}`, { body })

test('lists instances and answers one, at the older spelling too', async () => {
  const { body } = await manager.inject('GET', '/node-instances?deployment_id=app&_sort=-index&_size=1')
  expect(body).toEqual({
    items: [
      {
        id: 'vm_5',
        node_id: 'vm',
        deployment_id: 'app',
        host_id: null,
        index: 5,
        state: 'uninitialized',
        version: 1,
        runtime_properties: {},
        system_properties: {},
        relationships: [],
        scaling_groups: [],
        has_configuration_drift: false,
        is_status_check_ok: false,
        created_at: expect.stringMatching(/Z$/),
        created_by: 'admin',
        tenant_name: 'default_tenant',
        visibility: 'tenant',
        resource_availability: 'tenant',
        private_resource: false,
      },
    ],
    metadata: { pagination: { total: 5, offset: 0, size: 1 }, filtered: null },
  })
  expect((await manager.inject('GET', '/node_instances/vm_1?_include=id,index')).body).toEqual({
    id: 'vm_1',
    index: 1,
  })
  expect((await manager.inject('GET', '/node-instances?state=started')).body.items).toEqual([])
  expect(await manager.inject('GET', '/node-instances/none')).toMatchObject({
    status: 404,
    body: { message: 'Requested `NodeInstance` with ID `none` was not found', error_code: 'not_found_error' },
  })
})

test('a change counts the version; the same once more does not', async () => {
  const change = { version: 1, state: 'started', runtime_properties: { ip: '10.0.0.1' } }
  expect((await patch('vm_1', change)).body).toMatchObject({ ...change, version: 2 })
  expect((await patch('vm_1', { ...change, version: 2 })).body).toMatchObject({ version: 2 })
  expect((await patch('vm_1', { version: 2 })).body).toMatchObject({ version: 2, state: 'started' })
  expect((await patch('vm_1', { version: 2, runtime_properties: { other: null } })).body).toMatchObject({
    version: 3,
    state: 'started',
    runtime_properties: { other: null },
  })
})

test('whoever read an older version is refused unless forced; a newer one is taken', async () => {
  await patch('vm_2', { version: 1, state: 'creating' })
  await patch('vm_2', { version: 2, state: 'created' })
  expect(await patch('vm_2', { version: 2, state: 'started' })).toMatchObject({
    status: 409,
    body: {
      message: 'Node instance update conflict [current version=3, update version=2]',
      error_code: 'conflict_error',
    },
  })
  expect((await patch('vm_2', { version: 2, state: 'started' }, '?force=True')).body).toMatchObject({
    state: 'started',
    version: 4,
  })
  expect((await patch('vm_2', { version: 9, state: 'stopped' })).body).toMatchObject({ version: 5 })
})

test('of requests that read the same version exactly one wins', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => patch('vm_3', { version: 1, runtime_properties: { by: index } })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
})

test('the results of checks follow the system properties', async () => {
  const drifted = { configuration_drift: { ok: true, result: { size: 1 } }, status: { ok: true } }
  expect((await patch('vm_4', { version: 1, system_properties: drifted })).body).toMatchObject({
    version: 2,
    system_properties: drifted,
    has_configuration_drift: true,
    is_status_check_ok: true,
  })
  const node = (await manager.inject('GET', '/nodes?deployment_id=app')).body.items[0]
  expect(node).toMatchObject({ drifted_instances: 1, unavailable_instances: 4 })
  expect((await patch('vm_4', { version: 2, system_properties: {} })).body).toMatchObject({
    has_configuration_drift: false,
    is_status_check_ok: false,
  })
})

test('refuses what is incomplete or of the wrong type', async () => {
  expect(await patch('vm_5', { state: 'started' })).toMatchObject({
    status: 400,
    body: { message: 'Missing version in json request body' },
  })
  expect((await patch('vm_5', { version: -1 })).status).toBe(400)
  expect((await patch('vm_5', { version: 1, runtime_properties: [] })).body.message).toBe(
    'runtime_properties parameter is expected to be of type dict but is of type list',
  )
  expect((await patch('none', { version: 1 })).status).toBe(404)
})

test('an operation may send its change again when the answer got lost', async () => {
  await addDeployment(manager.db, 'data', { nodes: [{ id: 'db', instances: [{ id: 'db_1' }] }] })
  const { token } = await addExecution(manager.db, { deploymentId: 'data' })
  const change = { version: 1, runtime_properties: { ip: '10.0.0.3' } }
  const send = (body: object) =>
    manager.inject('PATCH', '/node-instances/db_1', { body, executionToken: token })
  expect((await send(change)).body).toMatchObject({ version: 2 })
  expect((await send(change)).body).toMatchObject({ version: 2, runtime_properties: { ip: '10.0.0.3' } })
  expect((await send({ version: 1, runtime_properties: { ip: 'another' } })).status).toBe(409)
  expect((await patch('db_1', change)).status).toBe(409)
})

test('relationships change only in the course of a deployment update', async () => {
  const body = { version: 1, relationships: [{ type: 't', target_name: 'vm', target_id: 'vm_1' }] }
  expect(await patch('vm_5', body)).toMatchObject({
    status: 403,
    body: { error_code: 'only_deployment_update' },
  })
  const install = await addExecution(manager.db, { deploymentId: 'app' })
  const update = await addExecution(manager.db, { deploymentId: 'app', workflowId: 'update' })
  const by = (executionToken: string) =>
    manager.inject('PATCH', '/node-instances/vm_5', { body, executionToken })
  expect((await by(install.token)).status).toBe(403)
  expect((await by(update.token)).body).toMatchObject({ version: 2, relationships: body.relationships })
})

test('the rights are those of the tenant, and global instances change only in their own', async () => {
  await addUser(manager.db, 'viewer', { tenants: { 0: 'viewer' } })
  const body = { version: 1, state: 'started' }
  expect((await manager.inject('PATCH', '/node-instances/vm_5', { body, user: 'viewer' })).status).toBe(403)
  expect((await manager.inject('GET', '/node-instances/vm_5', { user: 'viewer' })).status).toBe(200)

  const other = await addTenant(manager.db, 'other')
  await addDeployment(manager.db, 'shared', {
    tenantId: other,
    visibility: 'global',
    nodes: [{ id: 'n', instances: [{ id: 'n_1' }] }],
  })
  expect((await manager.inject('GET', '/node-instances/n_1')).body.tenant_name).toBe('other')
  expect(await patch('n_1', body)).toMatchObject({
    status: 400,
    body: {
      message: "Can't modify the global resource `n_1` from outside its tenant `other`",
      error_code: 'illegal_action_error',
    },
  })
  expect((await manager.inject('PATCH', '/node-instances/n_1', { body, tenant: 'other' })).status).toBe(200)
})
