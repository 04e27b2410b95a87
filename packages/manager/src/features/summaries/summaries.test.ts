import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  const other = await addTenant(db, 'other')
  await addUser(db, 'bob', { tenants: { 0: 'viewer', [other]: 'viewer' } })
  await addBlueprint(db, 'private_one', { visibility: 'private' })
  await addDeployment(db, 'a', {
    blueprintId: 'one',
    nodes: [{ id: 'n', instances: [{ id: 'n1', state: 'started' }, { id: 'n2' }] }],
  })
  await addDeployment(db, 'b', { blueprintId: 'one', visibility: 'private' })
  await addDeployment(db, 'c', { blueprintId: 'two' })
  await addDeployment(db, 'd', { tenantId: other, blueprintId: 'three' })
  await manager.inject('PUT', '/deployment-groups/team', { body: { deployment_ids: ['a', 'b'] } })
  await manager.inject('PUT', '/deployments/inter-deployment-dependencies', {
    body: { dependency_creator: 'component.n1', source_deployment: 'a', target_deployment: 'c' },
  })
  await addExecution(db, { deploymentId: 'a', status: 'terminated' })
  await addExecution(db, { deploymentId: 'a', status: 'failed' })
  await addExecution(db, { deploymentId: 'c', status: 'failed', workflowId: 'heal' })
})
afterAll(() => manager.close())

const summary = async (path: string, request: TestRequest = {}) =>
  (await manager.inject('GET', `/summary/${path}`, request)).body

test.each<[string, unknown[]]>([
  [
    'deployments?_target_field=blueprint_id',
    [
      { blueprint_id: 'one', deployments: 2 },
      { blueprint_id: 'two', deployments: 1 },
    ],
  ],
  ['deployments?_target_field=site_name', [{ site_name: null, deployments: 3 }]],
  [
    'deployments?_target_field=deployment_status&id=a',
    [{ deployment_status: 'requires_attention', deployments: 1 }],
  ],
  [
    'deployments?_target_field=blueprint_id&_sub_field=visibility',
    [
      {
        blueprint_id: 'one',
        deployments: 2,
        'by visibility': [
          { visibility: 'private', deployments: 1 },
          { visibility: 'tenant', deployments: 1 },
        ],
      },
      { blueprint_id: 'two', deployments: 1, 'by visibility': [{ visibility: 'tenant', deployments: 1 }] },
    ],
  ],
  [
    'deployments?_target_field=tenant_name&_all_tenants=true',
    [
      { tenant_name: 'default_tenant', deployments: 3 },
      { tenant_name: 'other', deployments: 1 },
    ],
  ],
  [
    'blueprints?_target_field=visibility',
    [
      { visibility: 'private', blueprints: 1 },
      { visibility: 'tenant', blueprints: 2 },
    ],
  ],
  [
    'executions?_target_field=status_display',
    [
      { status_display: 'completed', executions: 1 },
      { status_display: 'failed', executions: 2 },
    ],
  ],
  ['executions?_target_field=status&workflow_id=heal', [{ status: 'failed', executions: 1 }]],
  ['executions?_target_field=status&execution_group_id=x', []],
  // As `cfy` asks for the summary of a group.
  [
    'deployments?_target_field=blueprint_id&deployment_group_id=team',
    [{ blueprint_id: 'one', deployments: 2 }],
  ],
  [
    'executions?_target_field=deployment_id&deployment_group_id=team',
    [{ deployment_id: 'a', executions: 2 }],
  ],
  ['deployments?_target_field=blueprint_id&_group_id=team', [{ blueprint_id: 'one', deployments: 2 }]],
  ['deployments?_target_field=blueprint_id&_group_id=x', []],
  ['deployments?_target_field=blueprint_id&_dependencies_of=a', [{ blueprint_id: 'two', deployments: 1 }]],
  [
    'deployments?_target_field=blueprint_id&_environments_only=True',
    [{ blueprint_id: 'one', deployments: 2 }],
  ],
  ['executions?_target_field=status&_group_id=x', []],
  ['blueprints?_target_field=visibility&is_hidden=true', []],
  ['nodes?_target_field=deployment_id&deployment_group_id=team', [{ deployment_id: 'a', nodes: 1 }]],
  [
    'node_instances?_target_field=deployment_id&deployment_group_id=team',
    [{ deployment_id: 'a', node_instances: 2 }],
  ],
  ['nodes?_target_field=deployment_id&deployment_group_id=x', []],
  ['nodes?_target_field=deployment_id', [{ deployment_id: 'a', nodes: 1 }]],
  [
    'node_instances?_target_field=state',
    [
      { state: 'started', node_instances: 1 },
      { state: 'uninitialized', node_instances: 1 },
    ],
  ],
  [
    'node_instances?_target_field=index',
    [
      { index: 1, node_instances: 1 },
      { index: 2, node_instances: 1 },
    ],
  ],
])('%s', async (path, items) => {
  expect((await summary(path)).items).toEqual(items)
})

test('the dependencies of a deployment that is not there', async () => {
  const path = '/summary/deployments?_target_field=blueprint_id&_dependencies_of=nope'
  expect((await manager.inject('GET', path)).status).toBe(404)
})

test('only what the caller sees is counted', async () => {
  const { items } = await summary('deployments?_target_field=blueprint_id', { user: 'bob' })
  expect(items).toEqual([
    { blueprint_id: 'one', deployments: 1 },
    { blueprint_id: 'two', deployments: 1 },
  ])
})

test('pages are of values or pairs, and say how many there are', async () => {
  const query = 'deployments?_target_field=blueprint_id&_sub_field=visibility'
  expect(await summary(`${query}&_size=1&_offset=1`)).toEqual({
    items: [
      { blueprint_id: 'one', deployments: 2, 'by visibility': [{ visibility: 'tenant', deployments: 1 }] },
    ],
    metadata: { pagination: { total: 3, offset: 1, size: 1 } },
  })
  expect((await summary(`${query}&_offset=9`)).metadata.pagination.total).toBe(3)
  expect((await summary(`${query}&_size=0`)).metadata.pagination.total).toBe(3)
})

test.each([
  'deployments',
  'deployments?_target_field=inputs',
  'deployments?_target_field=id',
  'deployments?_target_field=visibility&_sub_field=nope',
  'blueprints?_target_field=blueprint_id',
  'nodes?_target_field=visibility&nope=1',
])('%s is refused', async (path) => {
  expect((await summary(path)).error_code).toBe('bad_parameters_error')
})
