import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { callingBlueprint } from '../../../test/calling-blueprint.ts'
import { addDeployment, addExecution, addUser } from '../../../test/fixtures.ts'
import { type Gate, openGate } from '../../../test/gate.ts'
import type { TestRequest } from '../../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let gate: Gate
let group: string
let members: string[]

beforeAll(async () => {
  system = await startTestSystem()
  gate = await openGate()
  await addUser(system.db, 'viewer1', { tenants: { 0: 'viewer' } })
  await system.upload('calls', callingBlueprint(gate.port))
})
afterAll(async () => {
  await system.close()
  await gate.close()
})

let next = 0
/** A group of three deployments, all created. */
beforeEach(async () => {
  group = `group${next++}`
  const { body } = await system.inject('PUT', `/deployment-groups/${group}`, {
    body: { blueprint_id: 'calls', new_deployments: [{}, {}, {}].map((_, n) => ({ id: `{group_id}-${n}` })) },
  })
  members = body.deployment_ids
  const { items } = (
    await system.inject('GET', `/executions?workflow_id=create_deployment_environment&_size=1000`)
  ).body
  await Promise.all(items.map(({ id }: { id: string }) => system.ended(id)))
})

const call = {
  workflow_id: 'execute_operation',
  default_parameters: { operation: 'own.call', node_ids: ['first'] },
}
const start = (body: object = call, request: TestRequest = {}) =>
  system.inject('POST', '/execution-groups', { ...request, body: { deployment_group_id: group, ...body } })
const get = async (id: string) => (await system.inject('GET', `/execution-groups/${id}`)).body
const act = (id: string, action: string) =>
  system.inject('POST', `/execution-groups/${id}`, { body: { action } })
const change = (id: string, body: object) => system.inject('PATCH', `/execution-groups/${id}`, { body })
const statuses = async (id: string): Promise<string[]> =>
  (await system.inject('GET', `/executions?_group_id=${id}`)).body.items.map(
    ({ status }: { status: string }) => status,
  )
const counted = async (id: string) => {
  const count: Record<string, number> = {}
  for (const status of await statuses(id)) count[status] = (count[status] ?? 0) + 1
  return count
}
const allEnded = async (id: string) => Promise.all((await get(id)).execution_ids.map(system.ended))

test('a workflow runs on the members, so many at a time; each that ends starts the next', async () => {
  const { status, body } = await start({
    ...call,
    concurrency: 1,
    force: null,
    parameters: { [members[2] as string]: { node_ids: ['second'] } },
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    deployment_group_id: group,
    workflow_id: 'execute_operation',
    concurrency: 1,
    success_group_id: null,
    failure_group_id: null,
    visibility: 'tenant',
    created_by: 'admin',
  })
  expect(body.execution_ids).toHaveLength(3)
  const callers: string[] = []
  for (let n = 0; n < 3; n += 1) {
    const caller = await gate.next()
    callers.push(caller.who)
    expect(await counted(body.id)).toMatchObject({ started: 1 })
    expect((await get(body.id)).status).toBe('started')
    caller.answer('ok')
  }
  expect(callers).toEqual(['first call', 'first call', 'second call'])
  await allEnded(body.id)
  expect(await get(body.id)).toMatchObject({ status: 'terminated' })

  const { items } = (await system.inject('GET', `/events?execution_group_id=${body.id}`)).body
  const [first] = body.execution_ids
  expect(items).toHaveLength(6)
  expect(items[0]).toMatchObject({
    event_type: 'execution_state_change',
    message: `execution '${first}' changed state to 'started'`,
    execution_group_id: body.id,
    execution_id: null,
    workflow_id: null,
    deployment_id: null,
    error_causes: null,
  })
  const list = (await system.inject('GET', '/execution-groups?_sort=-created_at&_size=1')).body.items
  expect(list).toMatchObject([{ id: body.id }])
  expect(list[0]).not.toHaveProperty('execution_ids')
})

test('the concurrency can be changed on the way, and 0 pauses', async () => {
  const { id } = (await start({ ...call, concurrency: 0 })).body
  expect(await get(id)).toMatchObject({ status: 'queued' })
  // What ends elsewhere does not start it either.
  gate.alwaysAnswer('ok')
  await system.deploy(`beside-${group}`, 'calls')
  await system.ended(
    await system.start(`beside-${group}`, 'execute_operation', { parameters: call.default_parameters }),
  )
  gate.alwaysAnswer(undefined)
  expect(await statuses(id)).toEqual(['queued', 'queued', 'queued'])
  expect((await change(id, { concurrency: 2 })).body).toMatchObject({ concurrency: 2 })
  const calls = [await gate.next(), await gate.next()]
  expect(await counted(id)).toEqual({ started: 2, queued: 1 })
  await change(id, { concurrency: 0 })
  for (const one of calls) one.answer('ok')
  const ids: string[] = (await get(id)).execution_ids
  await Promise.all(ids.slice(0, 2).map(system.ended))
  expect(await counted(id)).toEqual({ terminated: 2, queued: 1 })
  await change(id, { concurrency: 1 })
  ;(await gate.next()).answer('ok')
  await allEnded(id)
  expect((await change(id, {})).status).toBe(400)
  expect((await change(id, { concurrency: -1 })).status).toBe(400)
  expect((await change(id, { concurrency: 'x' })).status).toBe(400)
  expect((await change(id, { success_group_id: 'nowhere' })).status).toBe(404)
})

test('deployments go on into a group by how their execution ended, also by what ended before', async () => {
  for (const name of ['good', 'bad']) {
    await system.inject('PUT', `/deployment-groups/${name}-${group}`, { body: { labels: [{ was: name }] } })
  }
  const { id } = (await start({ ...call, concurrency: 1 })).body
  const ids: string[] = (await get(id)).execution_ids
  ;(await gate.next()).answer('ok')
  await system.ended(ids[0] as string)
  const second = await gate.next()
  await change(id, { success_group_id: `good-${group}`, failure_group_id: `bad-${group}` })
  second.answer('fail')
  ;(await gate.next()).answer('ok')
  await allEnded(id)
  const membersOf = async (name: string) =>
    (await system.inject('GET', `/deployment-groups/${name}-${group}`)).body.deployment_ids
  expect(await membersOf('good')).toEqual([members[0], members[2]])
  expect(await membersOf('bad')).toEqual([members[1]])
  expect((await system.inject('GET', `/deployments/${members[1]}`)).body.labels).toMatchObject([
    { key: 'was', value: 'bad' },
  ])
  expect(await get(id)).toMatchObject({ status: 'failed', failure_group_id: `bad-${group}` })
  const { items } = (await system.inject('GET', `/events?execution_group_id=${id}&message=%25failed%25`)).body
  expect(items[0].message).toMatch(/^execution '.*' changed state to 'failed' with error '/)
})

test('cancel reaches all: what waits at once, what runs as it does alone', async () => {
  const { id } = (await start({ ...call, concurrency: 1 })).body
  const running = await gate.next()
  expect((await act(id, 'cancel')).status).toBe(200)
  // What runs is cancelled as soon as its worker hears of it; its operation runs to its end.
  const { cancelling = 0, cancelled = 0 } = await counted(id)
  expect(cancelling + cancelled).toBe(3)
  expect(cancelling).toBeLessThanOrEqual(1)
  running.answer('ok')
  await allEnded(id)
  expect(await counted(id)).toEqual({ cancelled: 3 })
  expect(await get(id)).toMatchObject({ status: 'terminated' })
  expect((await act(id, 'kill')).status).toBe(200)
  expect((await act(id, 'requeue')).status).toBe(400)
  expect((await act('nowhere', 'cancel')).status).toBe(404)

  // Resumed within the concurrency. What the first one had done before it was cancelled is not done again.
  expect((await act(id, 'resume')).status).toBe(200)
  for (let n = 0; n < 2; n += 1) {
    const one = await gate.next()
    expect(await counted(id)).toMatchObject({ started: 1 })
    one.answer('ok')
  }
  await allEnded(id)
  expect(await counted(id)).toEqual({ terminated: 3 })
})

test('kill ends the operations of all', async () => {
  const { id } = (await start({ ...call, concurrency: 2 })).body
  const calls = [await gate.next(), await gate.next()]
  await act(id, 'kill')
  await Promise.all(calls.map((one) => one.gone))
  await allEnded(id)
  expect(await counted(id)).toEqual({ cancelled: 3 })
})

test('a busy deployment waits, unless forced; one without the workflow is left out; a broken one fails', async () => {
  const [busy = '', , broken = ''] = members
  await addDeployment(system.db, `bare-${group}`, { blueprintId: 'calls' })
  await system.inject('PATCH', `/deployment-groups/${group}`, {
    body: { add: { deployment_ids: [`bare-${group}`] } },
  })
  await system.db
    .updateTable('executions')
    .set({ status: 'failed', error: 'no luck' })
    .where('deployment_id', '=', broken)
    .execute()
  const other = await system.start(busy, 'execute_operation', { parameters: call.default_parameters })
  const first = await gate.next()
  const { body } = await start()
  expect(body.execution_ids).toHaveLength(3)
  const second = await gate.next()
  expect(await counted(body.id)).toEqual({ queued: 1, started: 1, failed: 1 })
  const { items } = (await system.inject('GET', `/executions?execution_group_id=${body.id}&status=failed`))
    .body
  expect(items).toMatchObject([
    { deployment_id: broken, error: expect.stringContaining('Error preparing execution: ') },
  ])
  const logs = (await system.inject('GET', `/events?execution_group_id=${body.id}&type=svc_log`)).body.items
  expect(logs).toMatchObject([
    { message: `Deployment bare-${group} has no workflow execute_operation: skipped`, level: 'warning' },
  ])
  second.answer('ok')
  first.answer('ok')
  await system.ended(other)
  ;(await gate.next()).answer('ok')
  await allEnded(body.id)
  expect(await counted(body.id)).toEqual({ terminated: 2, failed: 1 })
})

/** A group of two that are being created until `go` is called. */
async function heldGroup() {
  const id = `held-${group}`
  // Nothing is created while a system workflow is at work.
  const system1 = await addExecution(system.db, { workflowId: 'create_snapshot', status: 'started' })
  await system.db
    .updateTable('executions')
    .set({ is_system_workflow: true, lease_owner: 'nobody', lease_expires_at: new Date('2100-01-01') })
    .where('id', '=', system1.id)
    .execute()
  const { body } = await system.inject('PUT', `/deployment-groups/${id}`, {
    body: { blueprint_id: 'calls', new_deployments: [{ id: `${id}-a` }, { id: `${id}-b` }] },
  })
  expect(body.deployment_ids).toEqual([`${id}-a`, `${id}-b`])
  const go = () => system.inject('PATCH', `/executions/${system1.id}`, { body: { status: 'terminated' } })
  return { id, go }
}

test('what is started while its deployments are being created waits for that, and fails with it', async () => {
  const { id: held, go } = await heldGroup()
  const started = (await start({ workflow_id: 'install', deployment_group_id: held })).body
  expect(started).toMatchObject({ status: 'queued' })
  const creation = (
    await system.inject(
      'GET',
      `/executions?deployment_id=${held}-b&workflow_id=create_deployment_environment`,
    )
  ).body.items[0]
  await system.inject('POST', `/executions/${creation.id}`, { body: { action: 'cancel' } })
  expect(await counted(started.id)).toEqual({ failed: 1, queued: 1 })
  await go()
  gate.alwaysAnswer('ok')
  await allEnded(started.id)
  gate.alwaysAnswer(undefined)
  expect(await counted(started.id)).toEqual({ failed: 1, terminated: 1 })
  const { items } = (await system.inject('GET', `/executions?deployment_id=${held}-b&status=failed`)).body
  expect(items).toMatchObject([
    { error: 'Error dequeueing execution: the creation of its deployment was cancelled' },
  ])
})

test('parameters about what is in a deployment that is being created are checked when it is there', async () => {
  const { id, go } = await heldGroup()
  await system.inject('PUT', '/secrets/which', { body: { value: 'first' } })
  const asked = (own: object) =>
    start({ ...call, deployment_group_id: id, parameters: { [`${id}-a`]: own, [`${id}-b`]: own } })
  expect((await asked({ nonsense: 1 })).body.error_code).toBe('illegal_execution_parameters_error')
  expect((await asked({ node_ids: 'first' })).body.error_code).toBe('illegal_execution_parameters_error')
  const { body } = await start({
    ...call,
    deployment_group_id: id,
    parameters: {
      [`${id}-a`]: {
        node_ids: [{ get_secret: 'which' }],
        operation_kwargs: { who: { concat: ['by ', { get_sys: ['deployment', 'id'] }] } },
        allow_kwargs_override: true,
      },
      [`${id}-b`]: { node_ids: ['third'] },
    },
  })
  expect(body).toMatchObject({ status: 'queued' })
  await go()
  const calling = await gate.next()
  expect(calling.who).toBe(`by ${id}-a`)
  calling.answer('ok')
  await allEnded(body.id)
  const { items } = (await system.inject('GET', `/executions?_group_id=${body.id}&_sort=deployment_id`)).body
  expect(items).toMatchObject([
    {
      status: 'terminated',
      parameters: { node_ids: ['first'], operation_kwargs: { who: `by ${id}-a` } },
    },
    {
      status: 'failed',
      started_at: null,
      error: expect.stringMatching(
        /^Error dequeueing execution: Parameter "node_ids" does not meet its constraints/,
      ),
    },
  ])
})

test('what cannot be asked for leaves no group', async () => {
  const groups = async () =>
    (await system.inject('GET', '/execution-groups?_size=0')).body.metadata.pagination.total
  const before = await groups()
  expect(await start({ workflow_id: 'execute_operation' })).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_execution_parameters_error' },
  })
  expect((await start({ ...call, deployment_group_id: 'nowhere' })).status).toBe(404)
  expect((await start({ ...call, concurrency: -1 })).status).toBe(400)
  expect((await start({ ...call, concurrency: 1e12 })).status).toBe(400)
  expect((await start({ ...call, parameters: { [members[0] as string]: 'x' } })).status).toBe(400)
  expect((await start({ ...call, parameters: [] })).status).toBe(400)
  expect((await start({})).body.message).toBe('Missing workflow_id in json request body')
  expect((await start(call, { user: 'viewer1' })).status).toBe(403)
  expect(await groups()).toBe(before)
  // A workflow that no member has: a group of nobody.
  expect((await start({ workflow_id: 'nonsense' })).body).toMatchObject({ status: null, execution_ids: [] })
})

test('events can be recorded for a group', async () => {
  const { id } = (await start({ workflow_id: 'nonsense' })).body
  const body = {
    execution_group_id: id,
    events: [{ event_type: 'x', message: { text: 'hello' }, context: {} }],
  }
  expect((await system.inject('POST', '/events', { body })).status).toBe(201)
  const { items } = (await system.inject('GET', `/events?execution_group_id=${id}&event_type=x`)).body
  expect(items).toMatchObject([{ message: 'hello', execution_id: null, execution_group_id: id }])
  expect(
    (await system.inject('POST', '/events', { body: { ...body, execution_group_id: 'nowhere' } })).body
      .message,
  ).toBe('Requested `ExecutionGroup` with ID `nowhere` was not found')
})
