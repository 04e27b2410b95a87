import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../../test/test-manager.ts'

let manager: TestManager
let other: number

beforeAll(async () => {
  manager = await startTestManager()
  const { db } = manager
  other = await addTenant(db, 'other')
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'bob', { tenants: { 0: 'user', [other]: 'viewer' } })
  await addUser(db, 'viewer1', { tenants: { 0: 'viewer' } })
  await addDeployment(db, 'd')
})
afterAll(() => manager.close())

const patch = (id: string, body: unknown, request: TestRequest = {}) =>
  manager.inject('PATCH', `/executions/${id}`, { ...request, body })
const list = (query: string, request: TestRequest = {}) =>
  manager.inject('GET', `/executions?${query}`, request)
const remove = (query: string, body: unknown, request: TestRequest = {}) =>
  manager.inject('DELETE', `/executions?${query}`, { ...request, body })

test('what is neither true nor false is no value of a flag, and deletes nothing', async () => {
  await addExecution(manager.db, { status: 'terminated' })
  expect((await list('is_system_workflow=maybe')).body.items).toEqual([])
  expect((await list('is_system_workflow=maybe&is_system_workflow=false')).body.items).not.toEqual([])
  expect((await remove('is_dry_run=maybe', {})).body.items).toEqual([{ count: 0 }])
})

const waiting = ['queued', 'scheduled']
const active = ['pending', 'started', 'cancelling', 'force_cancelling', 'kill_cancelling']
const ended = ['terminated', 'failed', 'cancelled']
const all = [...waiting, ...active, ...ended]

/** docs/reference/executions.md, "Setting the status" */
function isAllowed(from: string, to: string): boolean {
  if (from === to) return true
  if (ended.includes(from)) return false
  if (from === 'cancelling' || from === 'force_cancelling') {
    return !['pending', 'started', 'terminated'].includes(to)
  }
  return true
}

test.each(all)('from %s a status goes where it may', async (from) => {
  for (const to of all) {
    const { id } = await addExecution(manager.db, { status: from })
    const { status, body } = await patch(id, { status: to, error: 'why' })
    if (isAllowed(from, to)) {
      expect({ from, to, status }).toEqual({ from, to, status: 200 })
      if (from !== to && to !== 'queued') expect(body).toMatchObject({ status: to, error: 'why' })
      if (ended.includes(to) && from !== to) expect(body.ended_at).not.toBeNull()
      if (to === 'started' && from !== to) expect(body.started_at).not.toBeNull()
    } else {
      expect({ from, to, status, code: body.error_code }).toEqual({
        from,
        to,
        status: 400,
        code: 'invalid_exception_status_update',
      })
      expect(body.message).toBe(
        `Invalid relationship - can't change status from ${from} to ${to} for "${id}" execution while running "install" workflow.`,
      )
    }
  }
})

test('a status without error has none', async () => {
  const { id } = await addExecution(manager.db, { status: 'started' })
  await patch(id, { status: 'cancelling', error: 'first' })
  expect((await patch(id, { status: 'failed' })).body).toMatchObject({ status: 'failed', error: '' })
})

test.each<[string, unknown, number, string, string]>([
  ['no status', {}, 400, 'bad_parameters_error', 'Missing status in json request body'],
  ['an unknown status', { status: 'done' }, 400, 'bad_parameters_error', 'Invalid execution status: done'],
  ['a status that is no text', { status: 1 }, 400, 'bad_parameters_error', 'of type str but is of type int'],
  ['a NUL in the error', { status: 'failed', error: 'a\0b' }, 400, 'bad_parameters_error', 'NUL'],
])('a patch with %s is refused', async (_what, body, status, code, message) => {
  const { id } = await addExecution(manager.db)
  expect(await patch(id, body)).toMatchObject({
    status,
    body: { error_code: code, message: expect.stringContaining(message) },
  })
})

test('who may set a status', async () => {
  const { id } = await addExecution(manager.db)
  expect((await patch(id, { status: 'failed' }, { user: 'viewer1' })).status).toBe(403)
  expect((await patch('nope', { status: 'failed' })).status).toBe(404)
  const theirs = await addExecution(manager.db, { tenantId: other })
  expect((await patch(theirs.id, { status: 'failed' })).status).toBe(404)
  expect((await manager.inject('GET', `/executions/${theirs.id}`)).status).toBe(404)
})

test('lists find executions by field, page and tenant', async () => {
  const make = async (workflowId: string, options = {}) =>
    (await addExecution(manager.db, { workflowId, deploymentId: 'd', status: 'terminated', ...options })).id
  const one = await make('listed')
  const two = await make('listed', { status: 'failed' })
  const mine = await make('listed', { visibility: 'private', createdBy: 'alice' })
  const theirs = await make('listed', { tenantId: other, deploymentId: undefined })
  const ids = async (query: string, request: TestRequest = {}) =>
    (await list(`workflow_id=listed&${query}`, request)).body.items.map((item: { id: string }) => item.id)
  expect(await ids('')).toEqual([one, two, mine])
  expect(await ids('status=failed&status=cancelled')).toEqual([two])
  expect(await ids('status_display=completed')).toEqual([one, mine])
  expect(await ids('deployment_id=d&_sort=-created_at&_size=1')).toEqual([mine])
  expect(await ids('is_dry_run=true')).toEqual([])
  expect(await ids('execution_group_id=g')).toEqual([])
  expect(await ids('_group_id=g')).toEqual([])
  expect(await ids('_search=no-such-id')).toEqual([one, two, mine])
  const { created_at } = (await list('workflow_id=listed&_size=1')).body.items[0]
  expect(await ids(`created_at=${created_at}`)).toContain(one)
  expect(await ids('', { user: 'bob' })).toEqual([one, two])
  expect(await ids('_all_tenants=true', { user: 'bob' })).toEqual([one, two, theirs])
  expect(await ids('', { tenant: 'other' })).toEqual([theirs])
  // As `cfy executions list` asks.
  const fields =
    'id,workflow_id,status_display,is_dry_run,deployment_id,created_at,started_at,scheduled_for,visibility,tenant_name,created_by'
  const page = await list(`_include=${fields}&_offset=0&_size=1000&_sort=created_at&workflow_id=listed`)
  expect(Object.keys(page.body.items[0]).sort()).toEqual(fields.split(',').sort())
  expect(await list('_include=nope')).toMatchObject({
    status: 400,
    body: { error_code: 'no_such_include_field_error' },
  })
  expect(await list('parameters=x')).toMatchObject({
    status: 400,
    body: { error_code: 'bad_parameters_error' },
  })
})

test.each<[string, unknown, string]>([
  ['both', { keep_last: 1, to_datetime: '2026-01-01' }, 'not both'],
  ['nothing to keep', { keep_last: 0 }, 'keep_last must be 1 or more, got 0'],
  ['a number that is none', { keep_last: 'x' }, 'keep_last'],
  ['a time that is none', { to_datetime: 'yesterday' }, 'yesterday is not a legal time format'],
])('a deletion with %s is refused', async (_what, body, message) => {
  expect(await remove('', body)).toMatchObject({
    status: 400,
    body: { error_code: 'bad_parameters_error', message: expect.stringContaining(message) },
  })
})

test('what has ended is deleted by filter, age, number and tenant; the rest stays', async () => {
  const at = async (workflowId: string, second: number, options = {}) => {
    const { id } = await addExecution(manager.db, { workflowId, status: 'terminated', ...options })
    const created_at = new Date(Date.UTC(2026, 0, 1, 0, 0, second))
    await manager.db.updateTable('executions').set({ created_at }).where('id', '=', id).execute()
    return id
  }
  const left = async (workflowId: string) =>
    (await list(`workflow_id=${workflowId}&_sort=created_at`)).body.items.map(
      (item: { id: string }) => item.id,
    )
  const count = (answer: { body: { items: unknown } }) => answer.body.items

  const [a, b, c] = [await at('aged', 1), await at('aged', 2), await at('aged', 3)]
  const running = await at('aged', 0, { status: 'started' })
  const byAge = await remove('workflow_id=aged', { to_datetime: '2026-01-01T00:00:02.000Z' })
  expect(byAge).toMatchObject({ status: 200, body: { metadata: { pagination: { total: 1 } } } })
  expect(count(byAge)).toEqual([{ count: 1 }])
  expect(await left('aged')).toEqual([running, b, c])
  expect(await left('aged')).not.toContain(a)
  expect(count(await remove('workflow_id=aged', { keep_last: 1, to_datetime: null }))).toEqual([{ count: 1 }])
  expect(await left('aged')).toEqual([running, c])
  expect(count(await remove('workflow_id=aged&status=failed', {}))).toEqual([{ count: 0 }])
  expect(count(await remove('workflow_id=aged&status=terminated', undefined))).toEqual([{ count: 1 }])
  expect(await left('aged')).toEqual([running])

  // With its events; one that is the creation of a deployment is kept.
  const [logged, creation] = [
    await at('kept', 1, { deploymentId: 'd' }),
    await at('kept', 2, { deploymentId: 'd' }),
  ]
  await manager.db
    .updateTable('deployments')
    .set({ create_execution_id: creation, latest_execution_id: logged })
    .where('id', '=', 'd')
    .execute()
  await manager.db
    .insertInto('events')
    .values({
      tenant_id: 0,
      is_log: false,
      reported_timestamp: new Date(),
      execution_id: logged,
      message: 'm',
      created_by: 'admin',
    })
    .execute()
  expect(count(await remove('workflow_id=kept', {}))).toEqual([{ count: 1 }])
  expect(await left('kept')).toEqual([creation])
  expect((await manager.inject('GET', `/events?execution_id=${logged}`)).body.items).toEqual([])
  expect((await manager.inject('GET', '/deployments/d')).body).toMatchObject({
    latest_execution: null,
    latest_execution_status: null,
  })

  await at('tenants', 1)
  await at('tenants', 2, { tenantId: other })
  await at('tenants', 3, { visibility: 'private', createdBy: 'alice' })
  expect((await remove('', {}, { user: 'viewer1' })).status).toBe(403)
  expect(count(await remove('workflow_id=tenants&_all_tenants=true', {}, { user: 'bob' }))).toEqual([
    { count: 1 },
  ])
  expect(count(await remove('workflow_id=tenants&_all_tenants=true', {}))).toEqual([{ count: 2 }])
  expect(await remove('colour=red', {})).toMatchObject({ status: 400 })
})
