import { listen } from '@tutti/storage'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addUser } from '../../../test/fixtures.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'
import { openSharedState } from '../../shared-state.ts'

let manager: TestSystem
beforeAll(async () => {
  manager = await startTestSystem()
  await addUser(manager.db, 'mona', { tenants: { 0: 'manager' } })
  await addDeployment(manager.db, 'd')
  await manager.upload('plain')
})
afterAll(() => manager.close())
afterEach(async () => {
  await manager.db.deleteFrom('executions').where('deployment_id', '=', 'd').execute()
  await set('deactivate')
})

const set = (action: string, request = {}) =>
  manager.inject('POST', `/maintenance/${action}`, { tenant: null, ...request })
const mode = async () => (await manager.inject('GET', '/maintenance')).body
const endAll = () =>
  manager.db.updateTable('executions').set({ status: 'terminated' }).where('status', '=', 'started').execute()

const off = {
  status: 'deactivated',
  activated_at: '',
  activation_requested_at: '',
  remaining_executions: null,
  requested_by: '',
}

test('is entered at once when nothing runs, and left again', async () => {
  expect(await mode()).toEqual(off)
  expect(await set('deactivate')).toMatchObject({ status: 304, text: '' })
  const entered = await set('activate')
  expect(entered).toMatchObject({
    status: 200,
    body: {
      status: 'activated',
      activated_at: expect.stringMatching(/Z$/),
      activation_requested_at: expect.stringMatching(/Z$/),
      remaining_executions: null,
      requested_by: 'admin',
    },
  })
  expect(await set('activate')).toMatchObject({ status: 304, text: '' })
  expect(await mode()).toEqual(entered.body)
  expect(await set('deactivate')).toMatchObject({
    status: 200,
    body: { ...entered.body, status: 'deactivated' },
  })
  expect(await mode()).toEqual(off)
})

test('only system administrators may, and there are two actions', async () => {
  expect(await set('activate', { user: 'mona', tenant: 'default_tenant' })).toMatchObject({ status: 403 })
  expect((await manager.inject('GET', '/maintenance', { user: 'mona' })).status).toBe(200)
  expect(await set('pause')).toMatchObject({
    status: 400,
    body: { message: 'Invalid action: pause, Valid action values are: activate, deactivate' },
  })
})

const refused = { status: 503, body: { error_code: 'maintenance_mode_active' } }

test('nearly everything is refused meanwhile, before anybody is asked who they are', async () => {
  await set('activate')
  const answer = await manager.inject('GET', '/deployments', { user: null })
  expect(answer).toMatchObject(refused)
  expect(answer.body.message).toBe(
    'Your request was rejected since Cloudify manager is currently in maintenance mode',
  )
  for (const path of ['/blueprints', '/users', '/tokens', '/events', '/license-check', '/node-instances']) {
    expect(await manager.inject('GET', path)).toMatchObject(refused)
  }
  for (const path of [
    '/version',
    '/status',
    '/config',
    '/managers',
    '/brokers',
    '/db-nodes',
    '/maintenance',
  ]) {
    expect((await manager.inject('GET', path)).status, path).toBe(200)
    expect((await manager.inject('GET', path, { user: null })).status, path).toBe(401)
  }
  expect((await manager.inject('GET', '/ok', { user: null })).status).not.toBe(503)
})

test('the header lets those pass who may set the mode', async () => {
  await set('activate')
  const send = (user: string) =>
    manager.send('GET', '/deployments', { user, headers: { 'X-BYPASS-MAINTENANCE': 'True' } })
  expect((await send('admin')).status).toBe(200)
  expect(await send('mona')).toMatchObject(refused)
  expect((await send('nobody')).status).toBe(401)
})

test('what runs is waited for: until then only what would start something is refused', async () => {
  const { id } = await addExecution(manager.db, { deploymentId: 'd' })
  const remaining = [{ id, status: 'started', deployment_id: 'd', workflow_id: 'install' }]
  const activating = { status: 'activating', activated_at: '', remaining_executions: remaining }
  expect((await set('activate')).body).toMatchObject(activating)
  expect(await mode()).toMatchObject(activating)
  const entering = { status: 503, body: { error_code: 'entering_maintenance_mode' } }
  const start = { deployment_id: 'd', workflow_id: 'install' }
  expect(await manager.inject('POST', '/executions', { body: start })).toMatchObject(entering)
  const put = { body: { blueprint_id: 'plain' } }
  expect(await manager.inject('PUT', '/deployments/new', put)).toMatchObject(entering)
  expect(await manager.inject('PATCH', '/deployments/d', { body: { labels: [] } })).toMatchObject(entering)
  expect((await manager.inject('GET', '/deployments/d')).status).toBe(200)
  expect((await manager.inject('PATCH', `/executions/${id}`, { body: { status: 'started' } })).status).toBe(
    200,
  )
  await endAll()
  expect(await manager.inject('GET', '/deployments/d')).toMatchObject(refused)
  expect(await mode()).toMatchObject({ status: 'activated', remaining_executions: null })
})

test('what is queued starts after maintenance, not while it is waited for', async () => {
  await manager.deploy('queued', 'plain')
  const blocker = await addExecution(manager.db, { deploymentId: 'queued' })
  const id = await manager.start('queued', 'install', { queue: true })
  expect((await set('activate')).body).toMatchObject({ status: 'activating' })
  await manager.inject('PATCH', `/executions/${blocker.id}`, { body: { status: 'terminated' } })
  expect(await mode()).toMatchObject({ status: 'activated' })
  const { status } = await manager.db
    .selectFrom('executions')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(status).toBe('queued')
  await set('deactivate')
  expect(await manager.ended(id)).toMatchObject({ status: 'terminated' })
})

test('every manager hears of it', async () => {
  const other = await openSharedState(manager.db, manager.services.settings, pino({ level: 'silent' }))
  let isListening = false
  const listener = listen(manager.connection, (notification) => {
    isListening = true
    other.onNotification(notification)
  })
  const round = () => new Promise((resolve) => setImmediate(resolve))
  while (!isListening) {
    await set('activate')
    await set('deactivate')
  }
  await set('activate')
  while (other.maintenance.current === undefined) await round()
  expect(other.maintenance.current.requestedBy).toBe('admin')
  await set('deactivate')
  while (other.maintenance.current !== undefined) await round()
  await listener.close()
  other.close()
})

test('of requests at once, one enters it and the others are told that it is so already', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => set('activate')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(304)])
  const ends = await Promise.all(Array.from({ length: 8 }, () => set('deactivate')))
  expect(ends.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(304)])
})
