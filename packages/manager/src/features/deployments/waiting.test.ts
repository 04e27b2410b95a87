import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive } from '../../../test/archives.ts'
import { addBlueprint } from '../../../test/fixtures.ts'
import { headersOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'

// No worker is there: whatever is begun stays so.
let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager({ waitMs: 1 })
  await addBlueprint(manager.db, 'bp')
})
afterAll(() => manager.close())

const create = (id: string, query = '') =>
  manager.inject('PUT', `/deployments/${id}?${query}`, { body: { blueprint_id: 'bp' } })

test('a creation that takes too long to wait for is told to go on', async () => {
  expect(await create('slow')).toMatchObject({
    status: 400,
    body: { error_code: 'deployment_environment_creation_pending_error' },
  })
  expect((await manager.inject('GET', '/deployments/slow')).body).toMatchObject({
    latest_execution_status: 'in_progress',
    latest_execution_workflow_id: 'create_deployment_environment',
  })
  expect((await create('slow')).status).toBe(409)
})

test('a workflow has to wait for the creation, and clients are told which of both to do', async () => {
  const { body } = await create('unfinished', 'async_create=true')
  const start = () =>
    manager.inject('POST', '/executions', { body: { deployment_id: 'unfinished', workflow_id: 'install' } })
  const become = (status: string) =>
    manager.inject('PATCH', `/executions/${body.create_execution}`, { body: { status } })
  for (const [status, code] of [
    [undefined, 'deployment_environment_creation_pending_error'],
    ['started', 'deployment_environment_creation_in_progress_error'],
    ['cancelling', 'deployment_environment_creation_in_progress_error'],
    ['cancelled', 'deployment_creation_error'],
  ] as const) {
    if (status !== undefined) expect((await become(status)).status).toBe(200)
    expect(await start()).toMatchObject({ status: 400, body: { error_code: code } })
  }
  const { items } = (await manager.inject('GET', '/executions?deployment_id=unfinished')).body
  expect(items).toHaveLength(1)
})

test('a blueprint that is still uploading is none to deploy', async () => {
  await addBlueprint(manager.db, 'uploading')
  await manager.db.updateTable('blueprints').set({ state: 'parsing' }).where('id', '=', 'uploading').execute()
  for (const query of ['', 'async_create=true']) {
    expect(
      await manager.inject('PUT', `/deployments/x?${query}`, { body: { blueprint_id: 'uploading' } }),
    ).toMatchObject({
      status: 400,
      body: {
        error_code: 'deployment_creation_error',
        message: 'Unable to create a deployment based on a blueprint which is not `uploaded` but: `parsing`',
      },
    })
  }
})

test('a deployment cannot be deleted while it is created', async () => {
  await create('young', 'async_create=true')
  for (const query of ['', 'force=true']) {
    expect(await manager.inject('DELETE', `/deployments/young?${query}`)).toMatchObject({
      status: 400,
      body: {
        error_code: 'dependent_exists_error',
        message: expect.stringContaining(
          "Can't delete deployment young - There are running or queued executions",
        ),
      },
    })
  }
})

test('a validation that takes too long to wait for is answered with what to follow', async () => {
  const answer = await manager.app.inject({
    method: 'PUT',
    url: '/api/v3.1/blueprints/checked/validate',
    headers: { ...headersOf({}), 'content-type': 'application/octet-stream' },
    payload: blueprintArchive(),
  })
  expect(answer.statusCode).toBe(201)
  expect(answer.json()).toMatchObject({
    id: 'checked',
    state: 'validating',
    upload_execution: { id: expect.any(String), status: 'pending' },
  })
})
