import { claimEventBatch, sumEventCounts } from '@tutti/storage'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
let execution: { id: string; token: string }

beforeAll(async () => {
  manager = await startTestManager()
  await addDeployment(manager.db, 'app', {
    displayName: 'The app',
    nodes: [{ id: 'server', instances: [{ id: 'server_1' }] }],
  })
  execution = await addExecution(manager.db, { deploymentId: 'app' })
})
afterAll(() => manager.close())

const event = (text: string, more: object = {}) => ({
  event_type: 'workflow_stage',
  message: { text, arguments: null },
  context: {},
  ...more,
})
const log = (text: string, more: object = {}) => ({
  level: 'info',
  logger: 'ctx.x',
  message: { text },
  context: {},
  ...more,
})
const record = (body: object, token = execution.token) =>
  manager.inject('POST', '/events', { body, executionToken: token })
const list = async (query: string, request = {}) =>
  (await manager.inject('GET', `/events?${query}`, request)).body

test('records events and logs of the execution whose token they carry, with all that is known about them', async () => {
  const answer = await record({
    events: [
      event("Task started 'f'", {
        event_type: 'task_started',
        operation: 'cloudify.interfaces.lifecycle.create',
        timestamp: '2026-11-21T10:00:00.123Z',
        context: { node_id: 'server_1', task_error_causes: [{ message: 'm', type: 'T', traceback: null }] },
      }),
    ],
    logs: [log('he\0llo', { context: { operation: 'op', source_id: 'server_1', target_id: 'x' } })],
    manager_name: 'box',
    agent_name: 'agent',
  })
  expect(answer).toMatchObject({ status: 201, body: null })
  const { items, metadata } = await list(`execution_id=${execution.id}`)
  const shared = {
    blueprint_id: 'blueprint',
    deployment_id: 'app',
    deployment_display_name: 'app',
    execution_id: execution.id,
    execution_group_id: null,
    workflow_id: 'install',
    manager_name: 'box',
    agent_name: 'agent',
    timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    _storage_id: expect.any(Number),
  }
  expect(items).toEqual([
    {
      ...shared,
      type: 'svc_event',
      event_type: 'task_started',
      message: "Task started 'f'",
      operation: 'cloudify.interfaces.lifecycle.create',
      node_name: 'server',
      node_instance_id: 'server_1',
      source_id: null,
      target_id: null,
      error_causes: [{ message: 'm', type: 'T', traceback: null }],
      reported_timestamp: '2026-11-21T10:00:00.123Z',
    },
    {
      ...shared,
      type: 'svc_log',
      level: 'info',
      logger: 'ctx.x',
      message: 'he<NUL>llo',
      operation: 'op',
      node_name: null,
      node_instance_id: null,
      source_id: 'server_1',
      target_id: 'x',
      error_causes: null,
      reported_timestamp: expect.any(String),
    },
  ])
  expect(metadata.pagination).toEqual({ total: 2, offset: 0, size: 1000 })
})

test('answers in the words of the type filter, and each type selects its kind', async () => {
  const types = async (query: string) => {
    const { items } = await list(`execution_id=${execution.id}&${query}`)
    return items.map((item: { type: string }) => item.type)
  }
  expect(await types('type=cloudify_event')).toEqual(['cloudify_event'])
  expect(await types('type=cloudify_event&type=cloudify_log')).toEqual(['cloudify_event', 'cloudify_log'])
  expect(await types('type=svc_log')).toEqual(['svc_log'])
  expect(await types('type=svc_event&include_logs=True')).toEqual(['svc_event', 'svc_log'])
  expect(await types('include_logs=false')).toEqual(['svc_event'])
  expect(await types('event_type=task_started')).toEqual(['svc_event'])
  expect(await types('level=info&level=error')).toEqual(['svc_log'])
  expect(await types('level=info&event_type=task_started')).toEqual([])
  expect((await manager.inject('GET', '/events?type=other')).body.error_code).toBe('bad_parameters_error')
})

test('the older words are for those who name none when the configuration says so', async () => {
  const typesOf = async (path: string) =>
    new Set((await manager.inject('GET', path)).body.items.map(({ type }: { type: string }) => type))
  const named = [
    ['type=svc_event', ['svc_event']],
    ['type=cloudify_log', ['cloudify_log']],
  ] as const
  const set = (value: string) => manager.inject('PUT', '/config/event_vocabulary', { body: { value } })
  expect(await typesOf('/events')).toEqual(new Set(['svc_event', 'svc_log']))
  expect((await set('cloudify')).body).toMatchObject({ value: 'cloudify' })
  for (const version of ['v3.1', 'v3', 'v2'])
    expect(await typesOf(`/api/${version}/events`)).toEqual(new Set(['cloudify_event', 'cloudify_log']))
  for (const [query, types] of named) expect(await typesOf(`/events?${query}`)).toEqual(new Set(types))
  expect((await set('other')).body.error_code).toBe('conflict_error')
  await set('svc')
  expect(await typesOf('/events')).toEqual(new Set(['svc_event', 'svc_log']))
})

test('filters by the fields that events have, by patterns, and by nothing else', async () => {
  const count = async (query: string) => (await list(`execution_id=${execution.id}&${query}`)).items.length
  expect(await count('node_id=server')).toBe(1)
  expect(await count('node_instance_id=server_1')).toBe(1)
  expect(await count('deployment_id=app&deployment_id=other')).toBe(2)
  expect(await count('deployment_id=other')).toBe(0)
  expect(await count('operation=%25LIFECYCLE%25')).toBe(1)
  expect(await count('message=%25started%25&message.text=task%25')).toBe(1)
  expect(await count('message=%25started%25&message=nothing')).toBe(0)
  expect(await manager.inject('GET', '/events?workflow_id=install')).toMatchObject({
    status: 400,
    body: {
      message: expect.stringContaining('Unknown field to filter by: workflow_id. Allowed values: ['),
      error_code: 'bad_parameters_error',
    },
  })
  expect((await manager.inject('GET', '/events?colour=red')).body.message).toContain(
    'Unknown field to filter by: colour. Allowed values: [',
  )
})

test('takes a time range whose end is exclusive, and leaves unknown names of _include out', async () => {
  const count = async (range: string) =>
    (await list(`execution_id=${execution.id}&_range=${range}`)).items.length
  expect(await count('reported_timestamp,2026-11-21T10:00:00.123Z,2026-11-21T10:00:00.124Z')).toBe(1)
  expect(await count('reported_timestamp,,2026-11-21T10:00:00.123Z')).toBe(0)
  expect(await count('@timestamp,2020-01-01,')).toBe(2)
  expect((await manager.inject('GET', '/events?_range=timestamp,,')).status).toBe(400)
  const { items } = await list(`execution_id=${execution.id}&_include=message,nonsense&_size=1`)
  expect(items).toEqual([{ message: "Task started 'f'" }])
})

test('pages stay as they are while events are appended', async () => {
  const run = await addExecution(manager.db, { deploymentId: 'app' })
  const send = (from: number, to: number) =>
    record(
      {
        events: Array.from({ length: to - from }, (_, index) =>
          event(`n${from + index}`, { timestamp: '2026-11-21T11:00:00.000Z' }),
        ),
      },
      run.token,
    )
  const page = async (offset: number) => {
    const query = `execution_id=${run.id}&type=cloudify_event&type=cloudify_log&_offset=${offset}&_size=3&_sort=reported_timestamp`
    const { items, metadata } = await list(query)
    return {
      messages: items.map((item: { message: string }) => item.message),
      total: metadata.pagination.total,
    }
  }
  await send(0, 5)
  expect(await page(0)).toEqual({ messages: ['n0', 'n1', 'n2'], total: 5 })
  await send(5, 7)
  expect(await page(3)).toEqual({ messages: ['n3', 'n4', 'n5'], total: 7 })
  expect(await page(6)).toEqual({ messages: ['n6'], total: 7 })
  expect(await page(7)).toEqual({ messages: [], total: 7 })
  const { items } = await list(`execution_id=${run.id}&_sort=-timestamp&_size=1`)
  expect(items[0].message).toBe('n6')
})

test('refuses what it cannot place', async () => {
  const user = { body: { events: [event('x')] } }
  expect(await manager.inject('POST', '/events', user)).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error' },
  })
  const both = { body: { ...user.body, execution_id: execution.id, execution_group_id: 'g' } }
  expect((await manager.inject('POST', '/events', both)).status).toBe(409)
  expect(
    await manager.inject('POST', '/events', { body: { ...user.body, execution_id: 'nowhere' } }),
  ).toMatchObject({ status: 404, body: { message: 'Requested `Execution` with ID `nowhere` was not found' } })
  expect((await record({ events: [{ message: 'no type' }] })).body.message).toBe(
    'Missing event_type in json request body',
  )
  expect((await record({ events: [event('x', { context: 'text' })] })).body.message).toBe(
    'context parameter is expected to be of type dict but is of type str',
  )
  expect((await record({ logs: [] })).status).toBe(204)
  expect((await record({ events: [event('x')] }, 'wrong')).body.message).toBe(
    'User unauthorized: Authentication failed, invalid Execution Token',
  )
  expect((await manager.inject('GET', '/events', { tenant: null })).body.message).toBe(
    'Authorization failed: tenant not provided',
  )
})

test('only an administrator says when an event was stored', async () => {
  const run = await addExecution(manager.db, { deploymentId: 'app' })
  await addUser(manager.db, 'operator', { tenants: { 0: 'operations' } })
  const dated = event('x', {
    timestamp: '2020-01-01T00:00:00.000Z',
    reported_timestamp: '2019-01-01T00:00:00.000Z',
  })
  const body = { events: [dated], execution_id: run.id }
  await manager.inject('POST', '/events', { body })
  await manager.inject('POST', '/events', { body, user: 'operator' })
  const { items } = await list(`execution_id=${run.id}&_sort=timestamp`)
  expect(items).toMatchObject([
    { timestamp: '2020-01-01T00:00:00.000Z', reported_timestamp: '2019-01-01T00:00:00.000Z' },
    { reported_timestamp: '2020-01-01T00:00:00.000Z' },
  ])
  expect(items[1].timestamp > '2026').toBe(true)
})

test('shows private events to their owner and administrators, and global ones in every tenant', async () => {
  const other = await addTenant(manager.db, 'other')
  await addUser(manager.db, 'alice', { tenants: { [other]: 'user' } })
  await addUser(manager.db, 'bob', { tenants: { [other]: 'viewer' } })
  const secret = await addExecution(manager.db, {
    tenantId: other,
    visibility: 'private',
    createdBy: 'alice',
    workflowId: 'w',
  })
  const inOther = { tenant: 'other', executionToken: secret.token }
  expect(
    (await manager.inject('POST', '/events', { body: { events: [event('mine')] }, ...inOther })).status,
  ).toBe(201)
  const messages = async (request: object) =>
    (await list('message=mine', request)).items.map((item: { message: string }) => item.message)
  expect(await messages({ user: 'alice', tenant: 'other' })).toEqual(['mine'])
  expect(await messages({ user: 'bob', tenant: 'other' })).toEqual([])
  expect(await messages({ tenant: 'other' })).toEqual(['mine'])
  expect(await messages({})).toEqual([])
  expect(
    (await manager.inject('POST', '/events', { body: {}, user: 'bob', tenant: 'other' })).body.message,
  ).toBe('User `bob` is not permitted to perform the action event_create in the tenant `other`')

  await addDeployment(manager.db, 'shared', { tenantId: other, visibility: 'global' })
  const open = await addExecution(manager.db, {
    tenantId: other,
    visibility: 'global',
    deploymentId: 'shared',
  })
  await manager.inject('POST', '/events', {
    body: { events: [event('for all')] },
    tenant: 'other',
    executionToken: open.token,
  })
  expect((await list(`execution_id=${open.id}`)).items).toMatchObject([{ message: 'for all' }])
})

test('deletes the events of a deployment, and its logs when they are named', async () => {
  await addDeployment(manager.db, 'old')
  const run = await addExecution(manager.db, { deploymentId: 'old' })
  await record({ events: [event('a'), event('b')], logs: [log('c')] }, run.token)
  const remove = (query: string) => manager.inject('DELETE', `/events?${query}`)
  expect((await remove('type=cloudify_event')).status).toBe(400)
  expect((await remove('deployment_id=old')).status).toBe(400)
  expect((await remove('deployment_id=old&type=cloudify_event&store_before=true')).status).toBe(501)
  expect(
    (await remove('deployment_id=old&type=cloudify_event&_range=timestamp,,2020-01-01')).body.items,
  ).toEqual([0])
  expect(await remove('deployment_id=old&type=cloudify_event')).toMatchObject({
    status: 200,
    body: { items: [2] },
  })
  expect((await remove('deployment_id=old&type=cloudify_event&type=cloudify_log')).body.items).toEqual([1])
  expect((await list('deployment_id=old')).metadata.pagination.total).toBe(0)
})

test('a full page tells how many events there are, however they came and whoever asks', async () => {
  const tenant = await addTenant(manager.db, 'counted')
  await addUser(manager.db, 'carol', { tenants: { [tenant]: 'user' } })
  await addDeployment(manager.db, 'counted', { tenantId: tenant })
  const at = { tenantId: tenant, deploymentId: 'counted' }
  const runs = [
    await addExecution(manager.db, at),
    await addExecution(manager.db, { ...at, visibility: 'private' }),
  ]
  for (const { token } of runs) {
    for (const text of ['a', 'b', 'c']) {
      const body = { events: [event(text), event(text)], logs: [log(text)] }
      const sent = await manager.inject('POST', '/events', { body, executionToken: token, tenant: 'counted' })
      expect(sent.status).toBe(201)
    }
  }
  const asked = (query: string, user = 'admin') => list(query, { user, tenant: 'counted' })
  const check = async () => {
    for (const user of ['admin', 'carol'])
      for (const where of ['', ...runs.map(({ id }) => `execution_id=${id}&`), 'deployment_id=counted&'])
        for (const kind of ['', 'type=cloudify_event&', 'type=cloudify_log&', 'message=b&']) {
          const { items } = await asked(`${where}${kind}`, user)
          if (items.length === 0) continue
          const page = await asked(`${where}${kind}_size=1`, user)
          expect([user, where, kind, page.metadata.pagination.total]).toEqual([
            user,
            where,
            kind,
            items.length,
          ])
        }
  }
  await check()
  await sumEventCounts(manager.db, 1)
  await check()
  const gone = await manager.inject('DELETE', '/events?deployment_id=counted&type=cloudify_event', {
    tenant: 'counted',
  })
  expect(gone.body.items).toEqual([12])
  await check()
  while ((await sumEventCounts(manager.db, 100)) > 0);
  await check()
  expect((await asked('deployment_id=counted&_size=1')).metadata.pagination.total).toBe(6)
})

test('a batch that is sent again is stored once, whoever comes first', async () => {
  const own = await addExecution(manager.db, { deploymentId: 'app' })
  const stored = async () => (await list(`execution_id=${own.id}`)).items.length
  const batch = { logs: [log('once')], batch_id: 'batch-1' }
  const answers = await Promise.all([1, 2, 3].map(() => record(batch, own.token)))
  for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: null })
  expect(await record(batch, own.token)).toMatchObject({ status: 201 })
  expect(await stored()).toBe(1)
  await record({ ...batch, batch_id: 'batch-2' }, own.token)
  expect(await stored()).toBe(2)
  // Clients that name none are taken at their word.
  for (const id of [undefined, null]) await record({ ...batch, batch_id: id }, own.token)
  expect(await stored()).toBe(4)
  // What was refused was not stored, and may come again.
  const nowhere = { ...batch, batch_id: 'batch-3', execution_id: 'nowhere' }
  expect((await manager.inject('POST', '/events', { body: nowhere })).status).toBe(404)
  expect((await record({ ...batch, batch_id: 'batch-3' }, own.token)).status).toBe(201)
  expect(await stored()).toBe(5)
  expect((await record({ ...batch, batch_id: 'x'.repeat(257) }, own.token)).status).toBe(400)
})

test('the batches of one tenant say nothing about those of another', async () => {
  const tenantId = await addTenant(manager.db, 'batches')
  const ours = await addExecution(manager.db, { deploymentId: 'app' })
  await record({ logs: [log('ours')], batch_id: 'shared' }, ours.token)
  const { rows } = await sql`
    select from event_batches where tenant_id = ${tenantId} and id = 'shared'`.execute(manager.db)
  expect(rows).toEqual([])
  expect(await claimed(tenantId, 'shared')).toBe(true)
})

const claimed = (tenantId: number, id: string) =>
  manager.db.transaction().execute((transaction) => claimEventBatch(transaction, tenantId, id))
