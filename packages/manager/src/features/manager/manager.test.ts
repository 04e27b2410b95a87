import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'
import { tuttiVersion } from '../../version.ts'
import { deleteSilentManagers, recordHeartbeat } from './queries.ts'
import { registerManager } from './registration.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
})
afterAll(() => manager.close())

const oneBox = {
  hostname: 'box',
  privateIp: '10.0.0.5',
  publicIp: '203.0.113.5',
  version: tuttiVersion,
  roles: ['api', 'worker', 'scheduler'],
} as const

const fail = (error: unknown) => {
  throw error
}

test('tells its version with credentials, at the unversioned path too, and no tenant', async () => {
  const expected = { edition: 'premium', version: '7.1.0', build: `tutti-${tuttiVersion}`, date: null }
  expect((await manager.inject('GET', '/version', { tenant: null })).body).toMatchObject(expected)
  expect((await manager.inject('GET', '/api/version', { tenant: null })).body).toMatchObject(expected)
  expect((await manager.inject('GET', '/version?_include=version')).body).toEqual({ version: '7.1.0' })
  expect((await manager.inject('GET', '/version?_include=age')).body.error_code).toBe(
    'no_such_include_field_error',
  )
  expect(await manager.inject('GET', '/version', { user: null })).toMatchObject({
    status: 401,
    body: { message: 'User unauthorized: No authentication info provided', server_traceback: null },
  })
})

test('is well while its database, queue and a worker answer', async () => {
  const registration = await registerManager(manager.db, oneBox, fail)
  const { body } = await manager.inject('GET', '/status', { tenant: null })
  expect(body).toMatchObject({
    status: 'OK',
    services: {
      PostgreSQL: { status: 'Active', is_remote: false, extra_info: { connection_check: 'OK' } },
      'Management Worker': { status: 'Active', extra_info: { live_workers: 1 } },
      'Execution Queue': { status: 'Active', extra_info: { waiting_jobs: 0 } },
    },
  })
  expect((await manager.inject('GET', '/status?summary=True')).body).toEqual({ status: 'OK', services: {} })
  expect(await manager.inject('GET', '/ok', { user: null })).toMatchObject({ status: 200, body: 'OK' })
  await registration.stop()
})

test('says that it fails when no worker lives', async () => {
  const { status, body } = await manager.inject('GET', '/status')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    status: 'Fail',
    services: { Webserver: { status: 'Active' }, 'Management Worker': { status: 'Inactive' } },
  })
  expect(body.services['Management Worker'].extra_info.connection_check).toContain('No worker')
  expect(await manager.inject('GET', '/ok', { user: null })).toMatchObject({ status: 500, body: 'FAIL' })
})

test('an all-in-one manager is one manager, broker and database node at one address', async () => {
  const registration = await registerManager(manager.db, oneBox, fail)
  const managers = await manager.inject('GET', '/managers', { tenant: 'default_tenant' })
  expect(managers.body.items).toMatchObject([
    {
      hostname: 'box',
      private_ip: '10.0.0.5',
      public_ip: '203.0.113.5',
      edition: 'premium',
      version: '7.1.0',
      networks: { default: '10.0.0.5' },
    },
  ])
  expect(managers.body.metadata).toEqual({
    pagination: { total: 1, offset: 0, size: 1000 },
    filtered: null,
  })
  expect((await manager.inject('GET', '/brokers')).body.items).toMatchObject([
    { host: '10.0.0.5', port: 5671 },
  ])
  expect((await manager.inject('GET', '/db-nodes')).body.items).toEqual([
    { name: 'box', host: '10.0.0.5', is_external: false },
  ])
  expect((await manager.inject('GET', '/managers?hostname=other')).body.items).toEqual([])
  await registration.stop()
  expect((await manager.inject('GET', '/managers')).body.items).toEqual([])
})

test('a process that starts again takes its row over, and rows of silent ones are cleaned away', async () => {
  await recordHeartbeat(manager.db, { ...oneBox, hostname: 'old' })
  await recordHeartbeat(manager.db, { ...oneBox, hostname: 'old', privateIp: '10.0.0.6' })
  const { body } = await manager.inject('GET', '/managers')
  expect(body.items).toMatchObject([{ hostname: 'old', private_ip: '10.0.0.6' }])
  await deleteSilentManagers(manager.db, 0)
  expect((await manager.inject('GET', '/managers')).body.items).toEqual([])
})

test('needs no license', async () => {
  expect((await manager.inject('GET', '/license-check')).body).toBe('OK')
})

test('keeps one provider context, replaced only when asked', async () => {
  expect((await manager.inject('GET', '/provider/context')).body).toEqual({
    id: 'CONTEXT',
    name: 'provider',
    context: {},
  })
  const body = { name: 'cloud', context: { cloudify: { workflows: {} } } }
  expect(await manager.inject('POST', '/provider/context', { body })).toMatchObject({
    status: 201,
    body: { status: 'ok' },
  })
  expect(await manager.inject('POST', '/provider/context', { body })).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error' },
  })
  const update = { ...body, name: 'other' }
  expect(await manager.inject('POST', '/provider/context?update=true', { body: update })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  })
  expect((await manager.inject('GET', '/provider/context')).body).toEqual({ id: 'CONTEXT', ...update })
  expect((await manager.inject('POST', '/provider/context', { body: { name: 'x' } })).body.message).toBe(
    'Missing context in json request body',
  )
})
