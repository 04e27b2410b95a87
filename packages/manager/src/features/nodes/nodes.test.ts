import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addDeployment(manager.db, 'app', {
    displayName: 'The app',
    scalingGroups: { pair: { members: ['vm'], properties: { planned_instances: 2 } } },
    nodes: [
      { id: 'vm', type: 'cloudify.nodes.Compute', hostId: 'vm', instances: [{ id: 'vm_1' }, { id: 'vm_2' }] },
      { id: 'db', hostId: 'vm', properties: { port: 5432 }, instances: [{ id: 'db_1' }] },
    ],
  })
})
afterAll(() => manager.close())

const list = (query: string, request = {}) => manager.inject('GET', `/nodes?${query}`, request)

test('lists the nodes of a deployment in the order of its blueprint, with counts of their instances', async () => {
  const { status, body } = await list('deployment_id=app')
  expect(status).toBe(200)
  expect(body.metadata).toEqual({ pagination: { total: 2, offset: 0, size: 1000 }, filtered: null })
  expect(body.items[0]).toMatchObject({ id: 'vm', actual_number_of_instances: 2, blueprint_id: 'blueprint' })
  expect(body.items[1]).toEqual({
    id: 'db',
    deployment_id: 'app',
    deployment_display_name: 'The app',
    blueprint_id: 'blueprint',
    type: 'cloudify.nodes.Root',
    type_hierarchy: ['cloudify.nodes.Root'],
    host_id: 'vm',
    properties: { port: 5432 },
    operations: {},
    plugins: [],
    plugins_to_install: null,
    relationships: [],
    number_of_instances: 1,
    planned_number_of_instances: 1,
    actual_number_of_instances: 1,
    actual_planned_number_of_instances: 2,
    deploy_number_of_instances: 1,
    min_number_of_instances: 0,
    max_number_of_instances: -1,
    drifted_instances: 0,
    unavailable_instances: 1,
    created_at: expect.stringMatching(/Z$/),
    created_by: 'admin',
    tenant_name: 'default_tenant',
    visibility: 'tenant',
    resource_availability: 'tenant',
    private_resource: false,
  })
})

test('filters, searches, sorts, pages and picks fields', async () => {
  const ids = async (query: string) => (await list(query)).body.items.map((item: { id: string }) => item.id)
  expect(await ids('deployment_id=app&id=db')).toEqual(['db'])
  expect(await ids('type=cloudify.nodes.Compute')).toEqual(['vm'])
  expect(await ids('_search=V')).toEqual(['vm'])
  expect(await ids('_sort=-id')).toEqual(['vm', 'db'])
  expect(await ids('deployment_id=unknown')).toEqual([])
  expect((await list('_size=1&_offset=1')).body).toMatchObject({
    items: [{ id: 'db' }],
    metadata: { pagination: { total: 2, offset: 1, size: 1 } },
  })
  expect((await list('_include=id,actual_planned_number_of_instances')).body.items).toEqual([
    { id: 'vm', actual_planned_number_of_instances: 4 },
    { id: 'db', actual_planned_number_of_instances: 2 },
  ])
  expect((await list('_instance_counts=true')).status).toBe(200)
  expect((await list('colour=red')).body.error_code).toBe('bad_parameters_error')
  expect((await list('_include=colour')).body.error_code).toBe('no_such_include_field_error')
})

test('a role that may not list nodes is refused, and other tenants are seen only with all tenants', async () => {
  const other = await addTenant(manager.db, 'other')
  await addDeployment(manager.db, 'theirs', { tenantId: other, nodes: [{ id: 'x' }] })
  await addUser(manager.db, 'nobody')
  expect((await list('', { user: 'nobody' })).body).toMatchObject({
    error_code: 'forbidden_error',
    message: 'User `nobody` is not permitted to perform the action node_list in the tenant `default_tenant`',
  })
  expect((await list('id=x')).body.items).toEqual([])
  expect((await list('id=x&_all_tenants=True')).body.items).toMatchObject([{ id: 'x', tenant_name: 'other' }])
})
