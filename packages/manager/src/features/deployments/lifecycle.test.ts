import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { callScript, type Gate, openGate } from '../../../test/gate.ts'
import type { TestRequest } from '../../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let gate: Gate

beforeAll(async () => {
  system = await startTestSystem()
  gate = await openGate()
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
  await system.upload(
    'calls',
    blueprintArchive(
      blueprintText({
        node_templates: {
          one: {
            type: 'cloudify.nodes.Root',
            interfaces: {
              'cloudify.interfaces.lifecycle': {
                create: {
                  implementation: 'call.py',
                  executor: 'central_deployment_agent',
                  inputs: { port: gate.port, who: 'create' },
                },
                delete: {
                  implementation: 'call.py',
                  executor: 'central_deployment_agent',
                  inputs: { port: gate.port, who: 'delete' },
                },
              },
            },
          },
        },
        outputs: {
          fixed: { description: 'Never changes', value: 'x' },
          runtime: { value: { get_attribute: ['one', 'address'] } },
        },
        capabilities: { runtime: { value: { get_attribute: ['one', 'address'] } } },
      }),
      { 'call.py': callScript },
    ),
  )
  await system.upload('plain')
})
afterAll(async () => {
  await system.close()
  await gate.close()
})

let next = 0
async function deployed(blueprintId = 'plain', body = {}) {
  const id = `dep${next++}`
  await system.deploy(id, blueprintId, body)
  return id
}
const get = async (id: string, query = '') => (await system.inject('GET', `/deployments/${id}?${query}`)).body
const remove = (id: string, query = '', request: TestRequest = {}) =>
  system.inject('DELETE', `/deployments/${id}?${query}`, request)
const statuses = async (id: string) => {
  const { latest_execution_status, installation_status, deployment_status, latest_execution_workflow_id } =
    await get(id)
  return [latest_execution_workflow_id, latest_execution_status, installation_status, deployment_status]
}
const availability = async (id: string) => {
  const { workflows } = await get(id, '_include=workflows')
  const named = (name: string) => workflows.find((one: { name: string }) => one.name === name).is_available
  return { install: named('install'), uninstall: named('uninstall') }
}

test('statuses follow what runs on a deployment', async () => {
  const id = await deployed('calls')
  expect(await statuses(id)).toEqual([
    'create_deployment_environment',
    'completed',
    'inactive',
    'requires_attention',
  ])

  const install = await system.start(id, 'install')
  const created = await gate.next()
  expect(await statuses(id)).toEqual(['install', 'in_progress', 'inactive', 'in_progress'])
  expect(await get(id)).toMatchObject({
    latest_execution: install,
    latest_execution_total_operations: expect.any(Number),
  })
  created.answer('ok')
  expect((await system.ended(install)).status).toBe('terminated')
  expect(await statuses(id)).toEqual(['install', 'completed', 'active', 'good'])
  const { latest_execution_total_operations: total, latest_execution_finished_operations: finished } =
    await get(id)
  expect(total).toBeGreaterThan(0)
  expect(finished).toBe(total)
  expect(await get(id)).toMatchObject({ unavailable_instances: 0, drifted_instances: 0 })
  expect(await availability(id)).toEqual({ install: false, uninstall: true })

  const uninstall = await system.start(id, 'uninstall')
  const removing = await gate.next()
  removing.answer('fail')
  expect((await system.ended(uninstall)).status).toBe('failed')
  expect(await statuses(id)).toEqual(['uninstall', 'failed', 'inactive', 'requires_attention'])
  expect(await availability(id)).toEqual({ install: true, uninstall: true })

  const again = await system.start(id, 'uninstall')
  ;(await gate.next()).answer('ok')
  expect((await system.ended(again)).status).toBe('terminated')
  expect(await statuses(id)).toEqual(['uninstall', 'completed', 'inactive', 'requires_attention'])
  expect(await availability(id)).toEqual({ install: true, uninstall: false })
})

test("a filter by the status of the latest execution takes the execution's own words", async () => {
  const id = await deployed()
  const find = async (status: string) =>
    (await system.inject('GET', `/deployments?id=${id}&latest_execution_status=${status}`)).body.items.length
  expect(await find('terminated')).toBe(1)
  expect(await find('completed')).toBe(0)
})

test('a cancelled execution leaves the deployment as it is', async () => {
  const id = await deployed('calls')
  const install = await system.start(id, 'install')
  const created = await gate.next()
  await system.inject('POST', `/executions/${install}`, { body: { action: 'cancel' } })
  await system.ended(install)
  created.answer('ok')
  expect(await statuses(id)).toEqual(['install', 'cancelled', 'inactive', 'requires_attention'])
})

test('outputs and capabilities are evaluated when they are read', async () => {
  const id = await deployed('calls')
  const outputs = async () => (await system.inject('GET', `/deployments/${id}/outputs`)).body
  // As `cfy deployments outputs` reads the descriptions.
  expect((await get(id, '_include=outputs')).outputs).toMatchObject({
    fixed: { description: 'Never changes' },
  })
  expect(await outputs()).toEqual({ deployment_id: id, outputs: { fixed: 'x', runtime: null } })
  const { items } = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body
  await system.inject('PATCH', `/node-instances/${items[0].id}`, {
    body: { version: items[0].version, runtime_properties: { address: '10.0.0.1' } },
  })
  expect(await outputs()).toEqual({ deployment_id: id, outputs: { fixed: 'x', runtime: '10.0.0.1' } })
  expect((await system.inject('GET', `/deployments/${id}/capabilities`)).body).toEqual({
    deployment_id: id,
    capabilities: { runtime: '10.0.0.1' },
  })
  const none = await deployed()
  expect((await system.inject('GET', `/deployments/${none}/outputs`)).body).toEqual({
    deployment_id: none,
    outputs: {},
  })
  expect((await system.inject('GET', `/deployments/${none}/capabilities`)).body).toEqual({
    deployment_id: none,
    capabilities: {},
  })
  for (const what of ['outputs', 'capabilities']) {
    expect((await system.inject('GET', `/deployments/nope/${what}`)).status).toBe(404)
  }
})

test('an output that cannot be evaluated says so in its place; a capability fails the request', async () => {
  const two = { default_instances: 2 }
  await system.upload(
    'ambiguous',
    blueprintArchive(
      blueprintText({
        node_templates: {
          many: { type: 'cloudify.nodes.Root', capabilities: { scalable: { properties: two } } },
        },
        outputs: { which: { value: { get_attribute: ['many', 'x'] } }, fine: { value: 1 } },
        capabilities: { which: { value: { get_attribute: ['many', 'x'] } } },
      }),
    ),
  )
  const id = await deployed('ambiguous')
  const { status, body } = await system.inject('GET', `/deployments/${id}/outputs`)
  expect({ status, fine: body.outputs.fine }).toEqual({ status: 200, fine: 1 })
  expect(body.outputs.which).toMatch(/^<ERROR: /)
  expect(await system.inject('GET', `/deployments/${id}/capabilities`)).toMatchObject({
    status: 400,
    body: { error_code: 'deployment_capabilities_evaluation_error' },
  })
})

test('a deployment goes with its executions, events and log; what is followed is found until then', async () => {
  const id = await deployed('calls')
  const install = await system.start(id, 'install')
  ;(await gate.next()).answer('ok')
  await system.ended(install)
  const uninstall = await system.start(id, 'uninstall')
  ;(await gate.next()).answer('ok')
  await system.ended(uninstall)
  const logs = join(system.services.settings.dataFolder, 'logs', '0')
  await access(join(logs, `${id}.log`))

  expect(await remove(id, 'delete_logs=True')).toMatchObject({ status: 204, text: '' })
  await system.deleted(id)
  for (const path of ['executions', 'events', 'nodes', 'node-instances']) {
    const { body } = await system.inject('GET', `/${path}?deployment_id=${id}`)
    expect({ path, items: body.items }).toEqual({ path, items: [] })
  }
  expect((await system.inject('GET', `/executions/${install}`)).status).toBe(404)
  expect(await readdir(logs)).not.toContain(`${id}.log`)
  await system.deploy(id, 'plain')
})

test('a log stays unless its removal is asked for', async () => {
  const id = await deployed('calls')
  const install = await system.start(id, 'install')
  ;(await gate.next()).answer('ok')
  await system.ended(install)
  await remove(id, 'force=true')
  await system.deleted(id)
  await access(join(system.services.settings.dataFolder, 'logs', '0', `${id}.log`))
})

test('live nodes keep a deployment, unless it is forced', async () => {
  const id = await deployed('calls')
  const install = await system.start(id, 'install')
  ;(await gate.next()).answer('ok')
  await system.ended(install)
  const { items } = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body
  expect(await remove(id)).toMatchObject({
    status: 400,
    body: {
      error_code: 'dependent_exists_error',
      message: `Can't delete deployment ${id} - There are live nodes for this deployment. Live nodes ids: ${items[0].id}`,
    },
  })
  expect(await statuses(id)).toEqual(['install', 'completed', 'active', 'good'])
  expect((await remove(id, 'force=True')).status).toBe(204)
  await system.deleted(id)
})

test('running and queued executions keep a deployment, even when it is forced', async () => {
  const id = await deployed('calls')
  const install = await system.start(id, 'install')
  const call = await gate.next()
  for (const query of ['', 'force=true']) {
    expect(await remove(id, query)).toMatchObject({
      status: 400,
      body: {
        error_code: 'dependent_exists_error',
        message: expect.stringContaining(
          `Can't delete deployment ${id} - There are running or queued executions for this deployment.`,
        ),
      },
    })
  }
  call.answer('fail')
  await system.ended(install)
  expect((await remove(id, 'force=true')).status).toBe(204)
  await system.deleted(id)
})

test('installations that depend on it keep a deployment, unless it is forced', async () => {
  const [base, user] = [await deployed(), await deployed()]
  const dependency = {
    tenant_id: 0,
    target_deployment_id: base,
    source_deployment_id: user,
    created_by: 'admin',
  }
  await system.db
    .insertInto('inter_deployment_dependencies')
    .values([
      { ...dependency, id: '1', dependency_creator: 'component.vm_abc' },
      { ...dependency, id: '2', dependency_creator: 'sharedresource.vm_abc' },
      { ...dependency, id: '3', dependency_creator: 'nodes.vm.properties.x.get_capability' },
    ])
    .execute()
  const { status, body } = await remove(base)
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'dependent_exists_error' })
  expect(body.message).toContain('the following existing installations depend on it:')
  expect(body.message).toContain(
    `[1] Deployment \`${user}\` contains the current deployment in its node \`vm_abc\``,
  )
  expect(body.message).toContain(
    `[2] Deployment \`${user}\` uses a shared resource from the current deployment`,
  )
  expect(body.message).toContain(`[3] Deployment \`${user}\` uses capabilities of the current deployment`)
  expect((await remove(user)).status).toBe(204)
  await system.deleted(user)
  expect((await remove(base)).status).toBe(204)
  await system.deleted(base)
})

test('of a deletion and a workflow at once, only one comes through', async () => {
  for (let round = 0; round < 4; round += 1) {
    const id = await deployed()
    const [deleted, started] = await Promise.all([
      remove(id),
      system.inject('POST', '/executions', { body: { deployment_id: id, workflow_id: 'install' } }),
    ])
    expect([
      [204, 400],
      [204, 404],
      [400, 201],
    ]).toContainEqual([deleted.status, started.status])
    if (deleted.status === 204) await system.deleted(id)
    else expect((await system.ended(started.body.id)).status).toBe('terminated')
  }
})

test('of several deletions at once, one is begun', async () => {
  const id = await deployed()
  const answers = await Promise.all([1, 2, 3].map(() => remove(id)))
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
  await system.deleted(id)
})

test('deletions by those who may not', async () => {
  const other = await addTenant(system.db, 'other')
  await addUser(system.db, 'carol', { tenants: { [other]: 'user' } })
  await addUser(system.db, 'viewer1', { tenants: { 0: 'viewer' } })
  const [own, mine] = [await deployed(), 'mine']
  await system.inject('PUT', `/deployments/${mine}`, {
    user: 'alice',
    body: { blueprint_id: 'plain', visibility: 'private' },
  })
  expect((await remove('nope')).body.message).toBe('Requested `Deployment` with ID `nope` was not found')
  expect((await remove(own, '', { user: 'viewer1' })).status).toBe(403)
  expect((await remove(own, '', { user: 'carol', tenant: 'other' })).status).toBe(404)
  expect((await remove(mine, '', { user: 'bob' })).status).toBe(404)
  expect((await remove(mine, '', { user: 'alice' })).status).toBe(204)
  await system.deleted(mine)
})

test('a creation waits behind a system workflow, and can be cancelled there', async () => {
  const blocker = await addExecution(system.db, { workflowId: 'create_snapshot', status: 'started' })
  await system.db
    .updateTable('executions')
    .set({ is_system_workflow: true })
    .where('id', '=', blocker.id)
    .execute()
  const created = await system.inject('PUT', '/deployments/waiting?async_create=true', {
    body: { blueprint_id: 'plain' },
  })
  expect(created.body.latest_execution_status).toBe('in_progress')
  const creation = created.body.create_execution
  expect((await system.inject('GET', `/executions/${creation}`)).body.status).toBe('queued')
  const cancelled = await system.inject('POST', `/executions/${creation}`, { body: { action: 'cancel' } })
  expect(cancelled.body.status).toBe('cancelled')
  expect((await get('waiting')).latest_execution_status).toBe('cancelled')
  await system.inject('PATCH', `/executions/${blocker.id}`, { body: { status: 'terminated' } })
})
