import { afterAll, beforeAll, expect, test } from 'vitest'
import { callingBlueprint } from '../../../test/calling-blueprint.ts'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { type Gate, openGate } from '../../../test/gate.ts'
import type { TestRequest } from '../../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let gate: Gate

beforeAll(async () => {
  system = await startTestSystem()
  gate = await openGate()
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
  await system.upload('calls', callingBlueprint(gate.port))
})
afterAll(async () => {
  await system.close()
  await gate.close()
})

let next = 0
async function deployed() {
  const id = `dep${next++}`
  await system.deploy(id, 'calls')
  return id
}
/** An install whose first operation has called. */
async function installing(body = {}) {
  const id = await deployed()
  const execution = await system.start(id, 'install', body)
  return { id, execution, call: await gate.next() }
}
const act = (execution: string, action: unknown, request: TestRequest = {}) =>
  system.inject('POST', `/executions/${execution}`, { ...request, body: { action } })
const get = async (execution: string) => (await system.inject('GET', `/executions/${execution}`)).body
const statesOf = async (id: string) => {
  const { items } = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body
  return Object.fromEntries(items.map((one: { node_id: string; state: string }) => [one.node_id, one.state]))
}
const operationStates = async (execution: string) => {
  const rows = await system.db
    .selectFrom('operations as o')
    .innerJoin('tasks_graphs as g', (join) =>
      join.onRef('g.tenant_id', '=', 'o.tenant_id').onRef('g.id', '=', 'o.tasks_graph_id'),
    )
    .select('o.state')
    .where('g.execution_id', '=', execution)
    .where('o.type', '=', 'RemoteWorkflowTask')
    .execute()
  return rows.map(({ state }) => state)
}
async function answer(who: string, how: 'ok' | 'fail' = 'ok') {
  const call = await gate.next()
  expect(call.who).toBe(who)
  call.answer(how)
  return call
}

test('cancel waits for nothing, starts nothing more, and records the ends of what runs', async () => {
  const { id, execution, call } = await installing()
  expect((await act(execution, 'cancel')).body).toMatchObject({
    id: execution,
    status: 'cancelling',
    ended_at: null,
  })
  expect(await system.ended(execution)).toMatchObject({
    status: 'cancelled',
    status_display: 'cancelled',
    error: '',
    ended_at: expect.any(String),
  })
  for (const action of ['cancel', 'force-cancel']) {
    expect(await act(execution, action)).toMatchObject({
      status: 400,
      body: {
        error_code: 'illegal_action_error',
        message: `Can't ${action} execution ${execution} because it's in status cancelled`,
      },
    })
  }
  const { items } = (await system.inject('GET', `/events?execution_id=${execution}`)).body
  // Its operation runs on, and may still send logs.
  const events = items.filter((item: { event_type?: string | null }) => item.event_type != null)
  expect(events.at(-1)).toMatchObject({
    event_type: 'workflow_cancelled',
    message: "'install' workflow execution cancelled",
  })

  // Its operation still runs, may still act, and holds up nobody else.
  expect((await system.inject('GET', `/deployments/${id}`, { executionToken: call.token })).status).toBe(200)
  const other = await system.start(id, 'execute_operation', {
    parameters: { operation: 'cloudify.interfaces.lifecycle.configure' },
  })
  expect((await system.ended(other)).status).toBe('terminated')
  expect(await operationStates(execution)).toContain('started')
  call.answer('ok')
  await call.gone
  await expect.poll(() => operationStates(execution), { timeout: 30_000 }).not.toContain('started')
  expect((await get(execution)).status).toBe('cancelled')
  expect(await statesOf(id)).toMatchObject({ second: 'uninitialized' })
})

test('what a cancelled execution has left running is waited for by a resume', async () => {
  const { execution, call } = await installing()
  await act(execution, 'cancel')
  await system.ended(execution)
  const before = gate.seen.length
  expect((await act(execution, 'resume')).status).toBe(200)
  expect((await get(execution)).status).toBe('pending')
  call.answer('ok')
  await answer('second create')
  expect((await system.ended(execution)).status).toBe('terminated')
  expect(gate.seen.slice(before)).toEqual(['second create'])
})

test.each(['kill', 'force-resume', 'requeue'])(
  'what a cancelled execution has left running is ended by a %s',
  async (action) => {
    const { execution, call } = await installing()
    await act(execution, 'cancel')
    await system.ended(execution)
    expect((await act(execution, action)).status).toBe(200)
    await call.gone
    if (action === 'kill') {
      expect((await get(execution)).status).toBe('cancelled')
      const late = await system.inject('GET', '/deployments', { executionToken: call.token })
      expect(late.status).toBe(401)
      return
    }
    await answer('first delete')
    const again = await answer('first create')
    expect(again.pid).not.toBe(call.pid)
    expect(() => process.kill(call.pid, 0)).toThrow('ESRCH')
    await answer('second create')
    expect((await system.ended(execution)).status).toBe('terminated')
  },
)

test.each(['force-cancel', 'kill'] as const)('%s ends the child process', async (action) => {
  const { execution, call } = await installing()
  const { status, body } = await act(execution, action)
  expect({ status, now: body.status }).toEqual({
    status: 200,
    now: action === 'kill' ? 'kill_cancelling' : 'force_cancelling',
  })
  await call.gone
  expect((await system.ended(execution)).status).toBe('cancelled')
  expect(() => process.kill(call.pid, 0)).toThrow('ESRCH')
})

test('what waits is cancelled at once, whatever the action', async () => {
  const { id, execution, call } = await installing()
  for (const action of ['cancel', 'force-cancel', 'kill']) {
    const queued = await system.start(id, 'install', { queue: true })
    expect((await act(queued, action)).body).toMatchObject({
      status: 'cancelled',
      ended_at: expect.any(String),
    })
    expect((await act(queued, action)).status).toBe(action === 'kill' ? 200 : 400)
  }
  expect((await get(execution)).status).toBe('started')
  call.answer('fail')
  await system.ended(execution)
})

test('what has ended is not cancelled, and a kill of it changes nothing', async () => {
  const { execution, call } = await installing()
  call.answer('fail')
  const ended = await system.ended(execution)
  expect(await act(execution, 'kill')).toMatchObject({ status: 200, body: ended })
  for (const action of ['cancel', 'force-cancel']) {
    expect(await act(execution, action)).toMatchObject({
      status: 400,
      body: {
        error_code: 'illegal_action_error',
        message: `Can't ${action} execution ${execution} because it's in status failed`,
      },
    })
  }
})

test('actions that are none', async () => {
  const { execution, call } = await installing()
  expect(await act(execution, 'stop')).toMatchObject({
    status: 400,
    body: {
      error_code: 'bad_parameters_error',
      message: expect.stringMatching(/^Invalid action: stop, Valid action values are: /),
    },
  })
  expect((await act(execution, undefined)).body.message).toBe('Missing action in json request body')
  expect((await act(execution, 1)).body.message).toBe(
    'action parameter is expected to be of type str but is of type int',
  )
  expect((await act('nope', 'cancel')).body.message).toBe(
    'Requested `Execution` with ID `nope` was not found',
  )
  call.answer('fail')
  await system.ended(execution)
})

// What was being created is first removed again (docs/reference/executions.md, "Resume"), hence the deletes.
test('resume runs what failed again, and what was done not', async () => {
  const { id, execution, call } = await installing()
  call.answer('ok')
  await answer('second create', 'fail')
  const failed = await system.ended(execution)
  expect(failed).toMatchObject({
    status: 'failed',
    resume: false,
    error: expect.stringContaining('told to fail'),
  })
  const before = gate.seen.length
  const { status, body } = await act(execution, 'resume')
  expect(status).toBe(200)
  expect(body).toMatchObject({ resume: true, ended_at: null, error: '' })
  await answer('second delete')
  await answer('second create')
  expect(await system.ended(execution)).toMatchObject({ status: 'terminated', resume: true })
  expect(gate.seen.slice(before)).toEqual(['second delete', 'second create'])
  expect(await statesOf(id)).toEqual({ first: 'started', second: 'started' })
  const messages = (await system.inject('GET', `/events?execution_id=${execution}`)).body.items.map(
    (event: { message: string }) => event.message,
  )
  expect(messages).toContain("Resuming 'install' workflow execution")
  const again = await act(execution, 'resume')
  expect(again).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error', message: expect.stringContaining('Cannot resume execution: ') },
  })
})

test('resume goes on after a cancel, where it was', async () => {
  const { id, execution, call } = await installing()
  await act(execution, 'cancel')
  call.answer('ok')
  await system.ended(execution)
  const before = gate.seen.length
  expect((await act(execution, 'resume')).status).toBe(200)
  await answer('second create')
  expect((await system.ended(execution)).status).toBe('terminated')
  expect(gate.seen.slice(before)).toEqual(['second create'])
  expect(await statesOf(id)).toEqual({ first: 'started', second: 'started' })
})

test('force-resume runs what was killed again', async () => {
  const { execution, call } = await installing()
  await act(execution, 'kill')
  await call.gone
  await system.ended(execution)
  expect((await act(execution, 'force-resume')).status).toBe(200)
  await answer('first delete')
  await answer('first create')
  await answer('second create')
  expect((await system.ended(execution)).status).toBe('terminated')
})

test('what runs is resumed only by force of its loss, and never forced', async () => {
  const { execution, call } = await installing()
  expect(await act(execution, 'force-resume')).toMatchObject({
    status: 409,
    body: {
      error_code: 'conflict_error',
      message: expect.stringContaining('Cannot force-resume execution: '),
    },
  })
  call.answer('fail')
  await system.ended(execution)
})

test('requeue puts what failed back in the queue', async () => {
  const { id, execution, call } = await installing()
  expect((await act(execution, 'requeue')).status).toBe(409)
  call.answer('fail')
  await system.ended(execution)
  // Behind another one it waits.
  const other = await system.start(id, 'execute_operation', {
    parameters: { operation: 'own.call', node_ids: ['first'] },
  })
  const blocking = await gate.next()
  expect((await act(execution, 'requeue')).body).toMatchObject({ status: 'queued', ended_at: null })
  blocking.answer('ok')
  expect((await system.ended(other)).status).toBe('terminated')
  await answer('first delete')
  await answer('first create')
  await answer('second create')
  expect((await system.ended(execution)).status).toBe('terminated')
})

test('workflows of the manager are not resumed', async () => {
  const upload = await system.send('PUT', '/blueprints/invalid', { body: 'PK' })
  expect(upload.status).toBe(400)
  const { items } = (await system.inject('GET', '/executions?workflow_id=upload_blueprint&_sort=-created_at'))
    .body
  for (const action of ['resume', 'force-resume', 'requeue']) {
    expect(await act(items[0].id, action)).toMatchObject({
      status: 409,
      body: { error_code: 'conflict_error' },
    })
  }
})

test('an operation acts with the rights of its execution, until that has ended', async () => {
  const { id, execution, call } = await installing()
  const asOperation = { executionToken: call.token }
  expect((await system.inject('GET', `/executions/${execution}`, asOperation)).body).toMatchObject({
    id: execution,
  })
  expect((await system.inject('GET', `/deployments/${id}`, { token: call.token })).status).toBe(200)
  const event = { event_type: 'plugin_event', message: { text: 'hello' }, context: {} }
  expect((await system.inject('POST', '/events', { ...asOperation, body: { events: [event] } })).status).toBe(
    201,
  )
  // Neither in another tenant nor after a cancel may it start anything.
  await addTenant(system.db, 'other')
  expect((await system.inject('GET', '/deployments', { ...asOperation, tenant: 'other' })).status).toBe(403)
  await act(execution, 'cancel')
  await system.ended(execution)
  // Its operation still runs: it may end its work, and begin none.
  expect((await system.inject('GET', `/executions/${execution}`, asOperation)).status).toBe(200)
  const start = { deployment_id: id, workflow_id: 'install', queue: true }
  expect(await system.inject('POST', '/executions', { ...asOperation, body: start })).toMatchObject({
    status: 403,
    body: { error_code: 'forbidden_while_cancelling' },
  })
  call.answer('ok')
  await system.ended(execution)
  await expect.poll(() => operationStates(execution), { timeout: 30_000 }).not.toContain('started')
  for (const request of [asOperation, { token: call.token }]) {
    expect(await system.inject('GET', `/executions/${execution}`, request)).toMatchObject({
      status: 401,
      body: { error_code: 'unauthorized_error' },
    })
  }
})

test('a recoverable failure is tried again as often as the operation says', async () => {
  const { execution, call } = await installing()
  call.answer('retry')
  const second = await gate.next()
  expect(second).toMatchObject({ who: 'first create', resume: false })
  second.answer('retry')
  expect(await system.ended(execution)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('told to retry'),
  })
})

test('a status set from outside takes the execution from its worker', async () => {
  const { id, execution, call } = await installing()
  const set = await system.inject('PATCH', `/executions/${execution}`, {
    body: { status: 'failed', error: 'enough' },
  })
  expect(set.body).toMatchObject({ status: 'failed', error: 'enough', ended_at: expect.any(String) })
  await call.gone
  expect(await get(execution)).toMatchObject({ status: 'failed', error: 'enough' })
  const after = await system.start(id, 'install')
  await answer('first create')
  await answer('second create')
  expect((await system.ended(after)).status).toBe('terminated')
})

test('a waiting execution that is set to pending starts', async () => {
  const { id, execution, call } = await installing()
  const queued = await system.start(id, 'execute_operation', {
    queue: true,
    parameters: { operation: 'own.call', node_ids: ['first'] },
  })
  expect(
    (await system.inject('PATCH', `/executions/${queued}`, { body: { status: 'pending' } })).status,
  ).toBe(200)
  await answer('first call')
  expect((await system.ended(queued)).status).toBe('terminated')
  call.answer('fail')
  await system.ended(execution)
})

test("somebody else's private execution is neither seen nor touched", async () => {
  const { id, execution, call } = await installing()
  await system.db
    .updateTable('deployments')
    .set({ visibility: 'private', created_by: 'alice' })
    .where('id', '=', id)
    .execute()
  await system.db
    .updateTable('executions')
    .set({ visibility: 'private', created_by: 'alice' })
    .where('id', '=', execution)
    .execute()
  const asBob = { user: 'bob' }
  expect((await system.inject('GET', `/executions/${execution}`, asBob)).status).toBe(404)
  expect((await act(execution, 'cancel', asBob)).status).toBe(404)
  const patched = await system.inject('PATCH', `/executions/${execution}`, {
    ...asBob,
    body: { status: 'failed' },
  })
  expect(patched.status).toBe(404)
  call.answer('fail')
  await system.ended(execution)
  const removed = await system.inject('DELETE', `/executions?deployment_id=${id}`, { ...asBob, body: {} })
  expect(removed.body.items).toEqual([{ count: 0 }])
  expect((await act(execution, 'resume', { user: 'alice' })).status).toBe(200)
  await answer('first delete')
  await answer('first create')
  await answer('second create')
  await system.ended(execution)
})

test('actions that come together leave one end', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, execution, call } = await installing()
    const queued = await system.start(id, 'install', { queue: true })
    // The end of the first and the cancel of the one that waits for it meet.
    call.answer('fail')
    const [cancelled] = await Promise.all([
      act(queued, 'kill'),
      act(execution, 'cancel'),
      act(execution, 'kill'),
    ])
    expect(['failed', 'cancelled']).toContain((await system.ended(execution)).status)
    if (cancelled.body.status === 'kill_cancelling') gate.alwaysAnswer('ok')
    expect((await system.ended(queued)).status).toBe('cancelled')
    gate.alwaysAnswer(undefined)
  }
})
