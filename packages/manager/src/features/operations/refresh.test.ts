import { toJson } from '@tutti/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addExecution, addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addUser(manager.db, 'uma', { tenants: { 0: 'user' } })
  const relationships = [
    { target_id: 'db', source_operations: { link: { inputs: { speed: 'new' } } }, target_operations: {} },
  ]
  await addDeployment(manager.db, 'd', { nodes: [{ id: 'app', relationships }, { id: 'db' }] })
  const operations = toJson({ create: { inputs: { size: 'new' }, has_intrinsic_functions: true } })
  await manager.db.updateTable('nodes').set({ operations }).where('id', '=', 'app').execute()
  const { id } = await addExecution(manager.db, { deploymentId: 'd', status: 'failed' })
  const own = (state: string, name = 'create', more = {}) => ({
    id: `${name}-${state}`,
    name,
    type: 'RemoteWorkflowTask',
    state,
    dependencies: [],
    parameters: {
      retry_interval: 1,
      task_kwargs: {
        target: 't',
        kwargs: {
          size: 'old',
          gone: 1,
          __cloudify_context: { node_name: 'app', operation: { name, relationship: null }, ...more },
        },
      },
    },
  })
  const link = { operation: { name: 'link', relationship: 'source' }, related: { node_name: 'db' } }
  const operationsOf = [
    own('pending'),
    own('succeeded'),
    own('rescheduled'),
    own('pending', 'stop'),
    own('sent', 'link', link),
  ]
  const body = { execution_id: id, name: 'graph', operations: operationsOf }
  expect((await manager.inject('POST', '/tasks_graphs', { body })).status).toBe(201)
})
afterAll(() => manager.close())

const refresh = (body: object, request = {}) =>
  manager.inject('POST', '/operations', {
    body: { action: 'update-stored', deployment_id: 'd', node_id: 'app', operation: 'create', ...body },
    ...request,
  })
const parameters = async (id: string) => (await manager.inject('GET', `/operations/${id}`)).body.parameters

test('what is stored and not done gets the inputs of its node', async () => {
  expect(await refresh({ key: 'operations' })).toMatchObject({ status: 204, text: '' })
  for (const id of ['create-pending', 'create-rescheduled']) {
    expect(await parameters(id)).toEqual({
      retry_interval: 1,
      task_kwargs: {
        target: 't',
        kwargs: {
          size: 'new',
          __cloudify_context: {
            node_name: 'app',
            operation: { name: 'create', relationship: null },
            has_intrinsic_functions: true,
          },
        },
      },
    })
  }
  for (const id of ['create-succeeded', 'stop-pending']) {
    expect((await parameters(id)).task_kwargs.kwargs).toMatchObject({ size: 'old' })
  }
})

test('of a relationship, those of its side', async () => {
  expect((await refresh({ key: 'source_operations', rel_index: 0, operation: 'link' })).status).toBe(204)
  expect((await parameters('link-sent')).task_kwargs.kwargs).toMatchObject({ speed: 'new' })
})

test.each([
  [{ action: 'dance' }, 400, 'unknown_action'],
  [{ deployment_id: 'nope' }, 404, 'not_found_error'],
  [{ node_id: 'nope' }, 404, 'not_found_error'],
  [{ key: 'toString' }, 400, 'bad_parameters_error'],
  [{ key: 'source_operations', rel_index: 7 }, 400, 'bad_parameters_error'],
  [{ rel_index: -1 }, 400, 'bad_parameters_error'],
])('%j is refused', async (body, status, code) => {
  expect(await refresh(body)).toMatchObject({ status, body: { error_code: code } })
})
