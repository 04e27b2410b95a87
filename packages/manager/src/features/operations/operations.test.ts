import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addDeployment(manager.db, 'app', {
    nodes: [{ id: 'vm', instances: [{ id: 'vm_1' }, { id: 'vm_2' }] }],
  })
})
afterAll(() => manager.close())

const operation = (id: string, more: object = {}) => ({
  id,
  name: 'tasks.run',
  type: 'RemoteWorkflowTask',
  dependencies: [],
  parameters: { task_kwargs: {} },
  ...more,
})

/** An execution with a graph of the given operations. */
async function stored(operations: object[]) {
  const execution = await addExecution(manager.db, { deploymentId: 'app' })
  const body = { execution_id: execution.id, name: 'install', operations }
  const answer = await manager.inject('POST', '/tasks_graphs', { body })
  expect(answer.status).toBe(201)
  return { ...execution, graphId: answer.body.id as string }
}

const counters = async (executionId: string) => {
  const { body } = await manager.inject('GET', `/executions/${executionId}`)
  return [body.finished_operations, body.total_operations]
}
const ids = (answer: { body: { items: { id: string }[] } }) => answer.body.items.map(({ id }) => id)

test('stores a graph with its operations, in their order, and counts all but those that only join', async () => {
  const { id, graphId } = await stored([
    operation('a1', { state: 'SUCCEEDED' }),
    operation('a2', { type: 'NOPLocalWorkflowTask', dependencies: ['a1'] }),
    operation('a3', { type: 'SetNodeInstanceStateTask' }),
  ])
  expect(await counters(id)).toEqual([1, 2])
  const graphs = await manager.inject('GET', `/tasks_graphs?execution_id=${id}&name=install`)
  expect(graphs.body).toMatchObject({
    items: [
      { id: graphId, name: 'install', execution_id: id, created_by: 'admin', tenant_name: 'default_tenant' },
    ],
    metadata: { pagination: { total: 1 } },
  })
  const listed = await manager.inject('GET', `/operations?graph_id=${graphId}`)
  expect(ids(listed)).toEqual(['a1', 'a2', 'a3'])
  expect(listed.body.items[1]).toEqual({
    id: 'a2',
    name: 'tasks.run',
    type: 'NOPLocalWorkflowTask',
    state: 'pending',
    dependencies: ['a1'],
    parameters: { task_kwargs: {} },
    tasks_graph_id: graphId,
    tasks_graph: graphId,
    manager_name: null,
    agent_name: null,
    created_at: expect.stringMatching(/Z$/),
    created_by: 'admin',
    tenant_name: 'default_tenant',
    visibility: 'tenant',
    resource_availability: 'tenant',
    private_resource: false,
  })
})

test('lists by graph or by execution, and by state in either case', async () => {
  const { id, graphId } = await stored([
    operation('b1', { state: 'SENT' }),
    operation('b2', { type: 'SubgraphTask' }),
    operation('b3', { type: 'SendNodeEventTask' }),
  ])
  const list = (query: string) => manager.inject('GET', `/operations?${query}`)
  expect(ids(await list(`execution_id=${id}`))).toEqual(['b1', 'b2', 'b3'])
  expect(ids(await list(`graph_id=${graphId}&state=sent`))).toEqual(['b1'])
  expect(ids(await list(`graph_id=${graphId}&state=PENDING&skip_internal=True`))).toEqual(['b2'])
  expect((await list(`graph_id=${graphId}&_offset=1&_size=1`)).body).toMatchObject({
    items: [{ id: 'b2' }],
    metadata: { pagination: { total: 3, offset: 1, size: 1 } },
  })
  expect((await list('')).status).toBe(400)
  expect((await list(`graph_id=${graphId}&execution_id=${id}`)).status).toBe(400)
  expect((await list('graph_id=none')).body.message).toBe(
    'Requested `TasksGraph` with ID `none` was not found',
  )
  expect((await list('execution_id=none')).body.message).toBe(
    'Requested `Execution` with ID `none` was not found',
  )
  expect((await manager.inject('GET', '/tasks_graphs')).status).toBe(400)
  expect((await manager.inject('GET', '/tasks_graphs?execution_id=none')).body.items).toEqual([])
})

test('refuses a second graph of the same name, taken ids and unknown executions, leaving nothing behind', async () => {
  const { id, graphId } = await stored([operation('c1')])
  const create = (body: object) =>
    manager.inject('POST', '/tasks_graphs/tasks_graphs', {
      body: { execution_id: id, operations: [], ...body },
    })
  expect(await create({ name: 'install' })).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error' },
  })
  expect(await create({ name: 'other', operations: [operation('c2'), operation('c1')] })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('<Operation id=`c1` tenant=`default_tenant`> already exists') },
  })
  expect((await manager.inject('GET', '/operations/c2')).status).toBe(404)
  expect(await counters(id)).toEqual([0, 1])
  expect((await create({ execution_id: 'none', name: 'x' })).status).toBe(404)
  expect((await create({ name: 'x', graph_id: graphId })).status).toBe(409)
  expect((await create({})).body.message).toBe('Missing name in json request body')
})

test('adds and removes single operations with their counts', async () => {
  const { id, graphId } = await stored([operation('d1', { state: 'failed' })])
  const body = { ...operation('d2'), graph_id: graphId }
  const put = () => manager.inject('PUT', '/operations/d2', { body })
  expect(await put()).toMatchObject({
    status: 201,
    body: { id: 'd2', state: 'pending', tasks_graph_id: graphId },
  })
  expect((await put()).status).toBe(409)
  expect(await counters(id)).toEqual([1, 2])
  expect((await manager.inject('DELETE', '/operations/d1')).status).toBe(204)
  expect(await counters(id)).toEqual([0, 1])
  expect((await manager.inject('DELETE', '/operations/d1')).body.message).toBe(
    'Requested `Operation` with ID `d1` was not found',
  )
  expect(
    (await manager.inject('PUT', '/operations/d3', { body: { ...body, graph_id: 'none' } })).status,
  ).toBe(404)
})

test('an end is counted once, and told when the execution itself reports it', async () => {
  const parameters = {
    current_retries: 1,
    total_retries: 2,
    task_kwargs: { kwargs: { __cloudify_context: { node_id: 'vm_1', operation: { name: 'op' } } } },
  }
  const { id, token } = await stored([operation('e1', { parameters }), operation('e2')])
  const patch = (name: string, body: object, request: object = { executionToken: token }) =>
    manager.inject('PATCH', `/operations/${name}`, { body, ...request })
  expect(await patch('e1', { state: 'started', manager_name: 'box' })).toMatchObject({
    status: 200,
    body: { id: 'e1', state: 'started', manager_name: 'box' },
  })
  const failure = {
    state: 'FAILED',
    exception: 'no luck',
    exception_causes: [{ message: 'm', type: 'T', traceback: null }],
  }
  await patch('e1', failure)
  await patch('e1', failure)
  await patch('e2', { state: 'succeeded' }, {})
  expect(await counters(id)).toEqual([2, 2])
  expect((await manager.inject('GET', '/operations/e1')).body).toMatchObject({
    state: 'FAILED',
    manager_name: 'box',
  })
  const { body } = await manager.inject('GET', `/events?execution_id=${id}`)
  expect(body.items).toMatchObject([
    { event_type: 'task_started', message: "Task started 'tasks.run' [retry 1/2]", manager_name: 'box' },
    {
      event_type: 'task_failed',
      message: "Task failed 'tasks.run' -> no luck [retry 1/2]",
      operation: 'op',
      node_name: 'vm',
      node_instance_id: 'vm_1',
      error_causes: failure.exception_causes,
    },
  ])
  expect(body.items).toHaveLength(2)
  expect((await patch('none', { state: 'sent' })).status).toBe(404)
  expect((await patch('e1', {})).body.message).toBe('Missing state in json request body')
})

test('stored tasks of the manager have their effect when they succeed', async () => {
  const { id, token } = await stored([
    operation('f1', {
      type: 'SetNodeInstanceStateTask',
      parameters: { task_kwargs: { node_instance_id: 'vm_2', state: 'started' } },
    }),
    operation('f2', {
      type: 'SendNodeEventTask',
      parameters: { task_kwargs: { node_instance_id: 'vm_2', event: 'Node instance started' } },
    }),
  ])
  const body = { state: 'succeeded' }
  await manager.inject('PATCH', '/operations/f1', { body, executionToken: token })
  await manager.inject('PATCH', '/operations/f1', { body, executionToken: token })
  await manager.inject('PATCH', '/operations/f2', { body, executionToken: token })
  expect((await manager.inject('GET', '/node-instances/vm_2')).body).toMatchObject({
    state: 'started',
    version: 2,
    is_status_check_ok: true,
    system_properties: { previous_status: null, status: { ok: true, result: null, task: null } },
  })
  expect((await manager.inject('GET', `/events?execution_id=${id}`)).body.items).toMatchObject([
    {
      event_type: 'workflow_node_event',
      message: 'Node instance started',
      node_instance_id: 'vm_2',
      node_name: 'vm',
      operation: null,
    },
  ])
})

test('a graph is patched without effect, and dated by administrators only', async () => {
  const { id, graphId } = await stored([])
  const patched = await manager.inject('PATCH', `/tasks_graphs/${graphId}`, { body: { state: 'x' } })
  expect(patched).toMatchObject({ status: 200, body: { id: graphId, name: 'install' } })
  const body = {
    execution_id: id,
    name: 'dated',
    created_at: '2020-01-01T00:00:00.000Z',
    graph_id: 'my-graph',
  }
  await addUser(manager.db, 'operator', { tenants: { 0: 'operations' } })
  expect((await manager.inject('POST', '/tasks_graphs', { body, user: 'operator' })).status).toBe(403)
  expect((await manager.inject('POST', '/tasks_graphs', { body })).body).toMatchObject({
    id: 'my-graph',
    created_at: '2020-01-01T00:00:00.000Z',
  })
})

test('private graphs are seen and changed by their owner and administrators only', async () => {
  await addUser(manager.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'bob', { tenants: { 0: 'user' } })
  const execution = await addExecution(manager.db, { visibility: 'private', createdBy: 'alice' })
  const body = { execution_id: execution.id, name: 'install', operations: [operation('g1')] }
  expect((await manager.inject('POST', '/tasks_graphs', { body, user: 'bob' })).status).toBe(404)
  expect((await manager.inject('POST', '/tasks_graphs', { body, user: 'alice' })).status).toBe(201)
  const state = { body: { state: 'sent' } }
  expect((await manager.inject('GET', '/operations/g1', { user: 'bob' })).status).toBe(404)
  expect((await manager.inject('PATCH', '/operations/g1', { ...state, user: 'bob' })).status).toBe(404)
  expect((await manager.inject('DELETE', '/operations/g1', { user: 'bob' })).status).toBe(404)
  expect((await manager.inject('PATCH', '/operations/g1', { ...state, user: 'alice' })).status).toBe(200)
  await addTenant(manager.db, 'elsewhere')
  expect((await manager.inject('GET', '/operations/g1', { tenant: 'elsewhere' })).status).toBe(404)
})

test('what an execution runs is reported to its end, whatever became of the rights of its creator', async () => {
  await addUser(manager.db, 'leaver', { tenants: { 0: 'user' } })
  const { id, token } = await addExecution(manager.db, { createdBy: 'leaver' })
  const body = { execution_id: id, name: 'install', operations: [operation('h1')] }
  expect((await manager.inject('POST', '/tasks_graphs', { body })).status).toBe(201)
  const membership = { username: 'leaver', tenant_name: 'default_tenant' }
  expect((await manager.inject('DELETE', '/tenants/users', { body: membership })).status).toBe(204)
  const state = { body: { state: 'sent' }, executionToken: token }
  expect((await manager.inject('PATCH', '/operations/h1', state)).body.state).toBe('sent')
  expect((await manager.inject('GET', '/operations/h1', state)).status).toBe(403)
})
