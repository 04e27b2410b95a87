import { openEvaluation } from '@tutti/domain/evaluation'
import type { Scope } from '@tutti/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addTenant } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
let scope: Scope
let evaluator: Parameters<typeof openEvaluation>[0]

beforeAll(async () => {
  manager = await startTestManager()
  evaluator = { db: manager.services.db, readSecret: async () => undefined }
  const { db } = manager
  const other = await addTenant(db, 'other')
  scope = { username: 'alice', tenantIds: [0], administeredTenantIds: [], globalTenantIds: [other] }
  await addDeployment(db, 'app', {
    displayName: 'The app',
    inputs: { size: 3, constructor: null },
    nodes: [
      {
        id: 'vm',
        properties: { a: [1] },
        instances: [{ id: 'vm_1', runtimeProperties: { ip: 'x' } }, { id: 'vm_2' }],
      },
    ],
  })
  await addDeployment(db, 'net', { capabilities: { gateway: { value: '10.0.0.1' } } })
  await addDeployment(db, 'hidden', { visibility: 'private', capabilities: { x: { value: 1 } } })
  await addDeployment(db, 'shared', {
    tenantId: other,
    visibility: 'global',
    capabilities: { x: { value: 1 } },
  })
  await addDeployment(db, 'inside', { tenantId: other, capabilities: { x: { value: 1 } } })
  const label = (key: string, value: string, at: string) => ({
    tenant_id: 0,
    deployment_id: 'app',
    key,
    value,
    created_at: at,
    created_by: 'admin',
  })
  await db
    .insertInto('deployment_labels')
    .values([
      label('csys-obj-parent', 'z', '2026-01-01'),
      label('csys-obj-parent', 'a', '2026-01-02'),
      label('csys-consumer-id', 'net', '2026-01-01'),
    ])
    .execute()
})
afterAll(() => manager.close())

test('functions read the nodes, instances, inputs, labels and facts of their deployment', async () => {
  const storage = await openEvaluation(evaluator, scope, 'app')
  expect(await storage.node('vm')).toEqual({ id: 'vm', properties: { a: [1] }, relationships: [] })
  expect(await storage.node('none')).toBeNull()
  expect(await storage.nodeInstance('vm_1')).toEqual({
    id: 'vm_1',
    node_id: 'vm',
    index: 1,
    runtime_properties: { ip: 'x' },
    relationships: [],
    scaling_groups: [],
  })
  expect(await storage.nodeInstance('none')).toBeNull()
  expect((await storage.nodeInstancesOf('vm')).map(({ id }) => id)).toEqual(['vm_1', 'vm_2'])
  expect(await storage.input('size')).toBe(3)
  expect(await storage.input('toString')).toBeUndefined()
  expect(await storage.labelValues('csys-obj-parent')).toEqual(['z', 'a'])
  expect(await storage.parentDeploymentId()).toBe('z')
  expect(await storage.consumers()).toEqual([{ id: 'net', displayName: 'net' }])
  expect(await storage.system('deployment.name')).toBe('The app')
  expect(await storage.system('tenant.name')).toBe('default_tenant')
  expect(await storage.secret('key')).toBeUndefined()
  expect(await storage.groupDeploymentIds('g')).toBeNull()
  await manager.inject('PUT', '/deployment-groups/g', { body: { deployment_ids: ['net', 'app'] } })
  expect(await storage.groupDeploymentIds('g')).toEqual(['app', 'net'])
  const hidden = { visibility: 'private', deployment_ids: ['net'] }
  await manager.inject('PUT', '/deployment-groups/mine', { body: hidden })
  expect(await storage.groupDeploymentIds('mine')).toBeNull()
})

test('capabilities of other deployments are found as far as the caller sees them', async () => {
  const storage = await openEvaluation(evaluator, scope, 'app')
  const found = await storage.capability('net', 'gateway')
  expect(found).toMatchObject({ found: 'value', value: '10.0.0.1', storage: { deploymentId: 'net' } })
  expect(await storage.capability('net', 'other')).toEqual({ found: 'no capability' })
  expect(await storage.capability('net', 'toString')).toEqual({ found: 'no capability' })
  expect(await storage.capability('nowhere', 'x')).toEqual({ found: 'no deployment' })
  expect(await storage.capability('hidden', 'x')).toEqual({ found: 'no deployment' })
})

test('a global deployment of another tenant opens no way into that tenant', async () => {
  const storage = await openEvaluation(evaluator, scope, 'shared')
  expect(await storage.capability('shared', 'x')).toMatchObject({ found: 'value' })
  expect(await storage.capability('inside', 'x')).toEqual({ found: 'no deployment' })
  expect(await storage.capability('net', 'gateway')).toEqual({ found: 'no deployment' })
})

test('a deployment that the caller does not see is not found', async () => {
  await expect(openEvaluation(evaluator, scope, 'hidden')).rejects.toThrow(
    'Requested `Deployment` with ID `hidden` was not found',
  )
})
