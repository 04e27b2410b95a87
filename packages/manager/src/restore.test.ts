import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText, zipOf } from '../test/archives.ts'
import { addDeployment, addUser } from '../test/fixtures.ts'
import type { TestRequest } from '../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../test/test-system.ts'

let system: TestSystem
const archive = blueprintArchive(
  blueprintText({
    inputs: { size: { type: 'integer' } },
    node_templates: { one: { type: 'cloudify.nodes.Root' } },
    outputs: { size: { value: { get_input: 'size' } } },
  }),
)

beforeAll(async () => {
  system = await startTestSystem()
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'manager1', { tenants: { 0: 'manager' } })
  await system.upload('source', archive)
  await system.deploy('living', 'source', { inputs: { size: 3 } })
})
afterAll(() => system.close())

const put = (path: string, body: object, request: TestRequest = {}) =>
  system.inject('PUT', path, { body, ...request })
const get = async (path: string) => (await system.inject('GET', path)).body
const post = (body: object, request: TestRequest = {}) =>
  system.inject('POST', '/executions', { body: { deployment_id: 'living', ...body }, ...request })

const past = '2020-01-02T03:04:05.678Z'
const creation = { created_by: 'alice', created_at: past }

/** As the Python client sends what was dumped. */
async function restoreBlueprint(id: string, params: object = {}) {
  const form = new FormData()
  form.set('params', JSON.stringify({ visibility: 'tenant', skip_execution: true, ...creation, ...params }))
  form.set('blueprint_archive', new Blob([new Uint8Array(archive)]))
  return system.send('PUT', `/blueprints/${id}`, { body: form })
}

test('a blueprint is restored without being read', async () => {
  const { plan, requirements } = await get('/blueprints/source')
  expect(await restoreBlueprint('restored')).toMatchObject({
    status: 201,
    body: { state: 'uploading', plan: null, upload_execution: { id: null }, ...creation },
  })
  const patch = (body: object, request: TestRequest = {}) =>
    system.inject('PATCH', '/blueprints/restored', { body, ...request })
  expect(await patch({ state: 'uploaded' })).toMatchObject({ status: 409 })
  expect(await patch({ plan, state: 'uploaded' }, { user: 'manager1' })).toMatchObject({ status: 403 })
  expect(await patch({ plan: 'x' })).toMatchObject({ status: 400 })
  const labels = [{ key: 'k', value: 'v', ...creation }]
  expect(
    await patch({ plan, requirements, state: 'uploaded', description: 'old', is_hidden: true, labels }),
  ).toMatchObject({
    status: 200,
    body: { plan, requirements, state: 'uploaded', description: 'old', is_hidden: true, labels, ...creation },
  })
  const executions = await get('/executions?workflow_id=upload_blueprint&_include=parameters')
  expect(
    executions.items.map(
      ({ parameters }: { parameters: { blueprint_id: string } }) => parameters.blueprint_id,
    ),
  ).toEqual(['source'])
  expect((await system.send('GET', '/blueprints/restored/archive')).status).toBe(200)
  // It serves as well as any.
  await system.deploy('of-restored', 'restored', { inputs: { size: 1 } })
})

test('what failed elsewhere is restored as it was', async () => {
  expect((await restoreBlueprint('broken', { state: 'invalid' })).body.state).toBe('invalid')
  expect((await restoreBlueprint('whole', { state: 'uploaded' })).status).toBe(409)
  expect((await restoreBlueprint('odd', { state: 'odd' })).status).toBe(400)
  const query = 'skip_execution=true'
  expect((await system.inject('PUT', `/blueprints/mine?${query}`, { user: 'alice' })).status).toBe(403)
  expect((await system.inject('PUT', `/blueprints/bare?${query}`)).status).toBe(201)
})

const zip = zipOf({ name: 'a.txt', content: 'kept' }).toString('base64')
const record = {
  blueprint_id: 'source',
  inputs: { size: 7, gone: 1 },
  visibility: 'tenant',
  labels: [{ key: 'env', value: 'Prod', ...creation }],
  display_name: 'Restored',
  runtime_only_evaluation: true,
  workflows: { mine: { plugin: 'p', operation: 'o', parameters: { x: { default: 1 } }, is_cascading: true } },
  groups: { g: {} },
  outputs: { size: { value: { get_input: 'size' } } },
  capabilities: { c: { value: 5 } },
  description: 'old',
  scaling_groups: { s: { members: ['one'], properties: {} } },
  policy_types: { t: {} },
  policy_triggers: null,
  resource_tags: { tag: 'x' },
  deployment_status: 'good',
  installation_status: 'active',
  sub_services_count: 5,
  ...creation,
}

test('a deployment with a working folder is only recorded', async () => {
  const answer = await put('/deployments/recorded?async_create=false', { ...record, workdir_zip: zip })
  const { workflows: _, sub_services_count: _count, policy_triggers: _triggers, ...shown } = record
  expect(answer).toMatchObject({
    status: 201,
    body: {
      ...shown,
      workflows: [{ name: 'mine', operation: 'o', parameters: { x: { default: 1 } }, is_cascading: true }],
      create_execution: null,
      latest_execution: null,
      sub_services_count: 0,
      workdir_zip: null,
    },
  })
  expect((await get('/nodes?deployment_id=recorded')).items).toEqual([])
  expect((await get('/executions?deployment_id=recorded')).items).toEqual([])
  expect((await get('/deployments/recorded?include_workdir=True')).workdir_zip).toBe(zip)
  expect((await get('/deployments/living?include_workdir=True')).workdir_zip).toBe(
    'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==',
  )
  expect((await get('/deployments/recorded/outputs')).outputs).toEqual({ size: 7 })

  const nodes = [{ id: 'one', type: 'cloudify.nodes.Root', number_of_instances: 1 }]
  await system.inject('POST', '/nodes', { body: { deployment_id: 'recorded', nodes } })
  const instance = { id: 'one_x', node_id: 'one', state: 'started', index: 4, created_by: 'alice' }
  const instances = { deployment_id: 'recorded', node_instances: [instance, { id: 'one_y', node_id: 'one' }] }
  expect((await system.inject('POST', '/node-instances', { body: instances })).status).toBe(201)
  expect((await get('/node-instances?deployment_id=recorded&_sort=id')).items).toMatchObject([
    instance,
    { id: 'one_y', state: 'uninitialized', index: 5 },
  ])
})

test('an empty working folder is one as well, and what is wrong is refused', async () => {
  const none = 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=='
  expect((await put('/deployments/none', { ...record, workdir_zip: none })).status).toBe(201)
  expect((await get('/deployments/none?include_workdir=True')).workdir_zip).toBe(none)
  expect(await put('/deployments/empty', { ...record, workdir_zip: '' })).toMatchObject({ status: 201 })
  expect((await get('/deployments/empty')).create_execution).toBe(null)
  for (const [body, status] of [
    [{ workdir_zip: 'no zip' }, 400],
    [{ workdir_zip: 5 }, 400],
    [{ workdir_zip: '', blueprint_id: 'nope' }, 404],
    [{ workdir_zip: '', workflows: { x: 5 } }, 400],
    [{ workdir_zip: '', created_by: 'nobody' }, 400],
    [{ workdir_zip: '', created_at: 'yesterday' }, 400],
  ] as const) {
    expect([body, (await put('/deployments/refused', { ...record, ...body })).status]).toEqual([body, status])
  }
  const { created_by: _by, created_at: _at, ...mine } = record
  const alice = { user: 'alice' }
  expect((await put('/deployments/refused', { ...mine, workdir_zip: '' }, alice)).status).toBe(403)
  expect((await get('/deployments/refused')).error_code).toBe('not_found_error')
})

const long = 'n'.repeat(300)
test.each<[string, Buffer]>([
  ['a path out of it', zipOf({ name: '../../out', content: 'x' }, { name: 'good', content: 'x' })],
  ['an absolute path', zipOf({ name: '/tmp/out', content: 'x' })],
  ['a link', zipOf({ name: 'link', content: '/etc/shadow', mode: 0o120_777 })],
  ['a device', zipOf({ name: 'device', content: '', mode: 0o020_666 })],
  ['a name that no file can have', zipOf({ name: long, content: 'x' })],
  ['a file that is a folder too', zipOf({ name: 'a', content: 'x' }, { name: 'a/b', content: 'x' })],
  ['a bomb', zipOf({ name: 'big', content: Buffer.alloc(60_000_000).toString() })],
  ['no entries but the first letters', Buffer.concat([Buffer.from('PK'), Buffer.alloc(5_000, 7)])],
  ['half of an end', Buffer.from('PK\x05\x06')],
])('a working folder with %s is refused, as no operation could run there', async (_what, workdir) => {
  const body = { ...record, workdir_zip: workdir.toString('base64') }
  const answer = await put('/deployments/hostile', body)
  expect(answer).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^workdir_zip cannot be unpacked: ./) },
  })
  expect((await get('/deployments/hostile')).error_code).toBe('not_found_error')
  // Who may not restore has nothing unpacked.
  const { created_by: _by, created_at: _at, ...mine } = body
  expect((await put('/deployments/hostile', mine, { user: 'alice' })).status).toBe(403)
})

test.each([
  { workflows: { x: { plugin: 5 } } },
  { workflows: { x: { operation: {} } } },
  { workflows: { x: { parameters: { size: null } } } },
  { workflows: { x: { availability_rules: { node_types_required: 5 } } } },
  { workflows: [{ plugin: 'p' }] },
  { outputs: { o: null } },
  { capabilities: { c: null } },
  { scaling_groups: { s: 5 } },
  { groups: { g: null } },
])('what could not be read again is not recorded: %j', async (given) => {
  const answer = await put('/deployments/unreadable', { ...record, workdir_zip: '', ...given })
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error' } })
})

test('what a workflow says nothing of is as in any', async () => {
  const workflows = [{ name: 'bare', plugin: null, operation: null, parameters: null, is_cascading: null }]
  const answer = await put('/deployments/bare', { ...record, workdir_zip: '', workflows })
  expect(answer).toMatchObject({
    status: 201,
    body: { workflows: [{ name: 'bare', plugin: '', parameters: {}, is_available: false }] },
  })
})

test.each([
  { nodes: [null] },
  { nodes: [{ name: 'one' }] },
  { nodes: [], inputs: { size: null } },
  { nodes: [], workflows: { install: null } },
  { nodes: [], workflows: { install: { plugin: null, operation: '' } } },
  { nodes: [], outputs: { o: 5 } },
  { nodes: [], scaling_groups: [] },
  { nodes: [], deployment_plugins_to_install: [null] },
  { nodes: [], imported_blueprints: [null] },
])('what is no plan is not recorded as one: %j', async (plan) => {
  const answer = await system.inject('PATCH', '/blueprints/source', { body: { plan } })
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error' } })
})

test('a deployment that is created may be of somebody else, and of another time', async () => {
  await system.deploy('dated', 'source', { inputs: { size: 1 }, ...creation })
  expect(await get('/deployments/dated')).toMatchObject(creation)
  for (const one of [{ created_by: 'admin' }, { created_at: past }]) {
    const body = { blueprint_id: 'source', inputs: { size: 1 }, ...one }
    expect((await put('/deployments/never', body, { user: 'manager1' })).status).toBe(403)
  }
})

test('an execution whose status is given is recorded, and nothing starts', async () => {
  const nothing = {
    parameters: null,
    allow_custom_parameters: 'false',
    force: 'false',
    queue: 'false',
    scheduled_time: null,
    wait_after_fail: 600,
  }
  const described = {
    ...nothing,
    workflow_id: 'install',
    dry_run: true,
    force_status: 'failed',
    error: 'it broke',
    id: 'b1f0c1de-0000-4000-8000-000000000001',
    is_system_workflow: false,
    started_at: '2020-01-02T03:05:00.000Z',
    ended_at: '2020-01-02T03:06:00.000Z',
    ...creation,
  }
  const { force_status: status, id, error, started_at, ended_at } = described
  const before = await get('/deployments/living?_include=latest_execution')
  expect(await post(described)).toMatchObject({
    status: 201,
    body: { id, status, error, started_at, ended_at, is_dry_run: true, deployment_id: 'living', ...creation },
  })
  expect((await post(described)).body).toMatchObject({
    error_code: 'conflict_error',
    message: `<Execution id=\`${id}\` tenant=\`default_tenant\`> already exists on <Tenant name=\`default_tenant\`> or with global visibility`,
  })
  // What ran later is still the latest.
  expect(await get('/deployments/living?_include=latest_execution')).toEqual(before)
  const later = { workflow_id: 'heal', force_status: 'terminated', started_at: '2030-01-01T00:00:00.000Z' }
  const latest = (await post(later)).body
  expect(latest).toMatchObject({ status: 'terminated', ended_at: expect.any(String) })
  expect((await get('/deployments/living')).latest_execution).toBe(latest.id)

  const system1 = {
    ...nothing,
    deployment_id: '',
    workflow_id: 'create_snapshot',
    force_status: 'terminated',
    is_system_workflow: true,
  }
  expect(await post(system1)).toMatchObject({
    status: 201,
    body: { deployment_id: null, is_system_workflow: true, status: 'terminated' },
  })
})

test('not even one that is said to be running runs, nor does its deployment wait for its creation', async () => {
  await put('/deployments/still', { ...record, workdir_zip: '' })
  const created = { deployment_id: 'still', workflow_id: 'create_deployment_environment' }
  await post({ ...created, force_status: 'terminated' })
  const ids = []
  for (const force_status of ['started', 'pending']) {
    const { status, body } = await post({ deployment_id: 'still', workflow_id: 'mine', force_status })
    expect({ status, is: body.status, parameters: body.parameters }).toEqual({
      status: 201,
      is: force_status,
      parameters: { x: 1 },
    })
    ids.push(body.id)
  }
  // Work that came later is long done.
  await system.ended(await system.start('living', 'install'))
  for (const id of ids) {
    expect((await get(`/executions/${id}`)).started_at).toBe(null)
    expect((await get(`/events?execution_id=${id}`)).items).toEqual([])
    await system.inject('PATCH', `/executions/${id}`, { body: { status: 'cancelled' } })
  }
  expect((await get('/deployments/still')).create_execution).toEqual(expect.any(String))
})

test('nothing waits for what is only said to run or to wait, and a cancellation ends it', async () => {
  const restored = async (body: object) => (await post(body)).body.id as string
  const nobody = { deployment_id: '', workflow_id: 'create_snapshot', is_system_workflow: true }
  await put('/deployments/quiet', { ...record, workdir_zip: '' })
  const ids = [
    await restored({ ...nobody, force_status: 'started' }),
    await restored({ ...nobody, force_status: 'queued' }),
    await restored({ deployment_id: 'quiet', workflow_id: 'mine', force_status: 'queued' }),
    await restored({ deployment_id: 'quiet', workflow_id: 'mine', force_status: 'started' }),
    await restored({ deployment_id: 'quiet', workflow_id: 'mine', force_status: 'kill_cancelling' }),
  ]
  const statuses = async () =>
    Promise.all(ids.map(async (id) => (await get(`/executions/${id}?_include=status`)).status))
  await system.ended(await system.start('living', 'uninstall'))
  await system.ended(await system.start('living', 'install'))
  expect(await statuses()).toEqual(['started', 'queued', 'queued', 'started', 'kill_cancelling'])

  await system.inject('POST', '/maintenance/activate')
  expect((await get('/maintenance')).status).toBe('activated')
  await system.inject('POST', '/maintenance/deactivate')

  // Not even who says that it starts starts it, and nobody resumes what had the rights of the manager itself.
  const said = await system.inject('PATCH', `/executions/${ids[2]}`, { body: { status: 'pending' } })
  expect(said.body.status).toBe('pending')
  const resumed = await system.inject('POST', `/executions/${ids[0]}`, { body: { action: 'resume' } })
  expect(resumed).toMatchObject({ status: 409, body: { error_code: 'conflict_error' } })
  expect((await get(`/events?execution_id=${ids[2]}`)).items).toEqual([])

  for (const id of ids) {
    const answer = await system.inject('POST', `/executions/${id}`, { body: { action: 'kill' } })
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled', ended_at: expect.any(String) } })
  }
  await restored({ deployment_id: 'quiet', workflow_id: 'mine', force_status: 'started' })
  expect((await system.inject('DELETE', '/deployments/quiet')).status).toBe(204)
  await system.deleted('quiet')
})

test.each([
  { force_status: 'terminated' },
  { id: 'mine' },
  { error: 'x' },
  { is_system_workflow: true },
  { started_at: past },
  { created_by: 'admin' },
  { created_at: past },
])('only administrators of the manager say %j of an execution', async (given) => {
  const refused = await post({ workflow_id: 'install', ...given }, { user: 'manager1' })
  expect(refused).toMatchObject({ status: 403, body: { error_code: 'forbidden_error' } })
})

test('what is wrong with a restored execution is said', async () => {
  expect((await post({ workflow_id: 'x', force_status: 'odd' })).body.error_code).toBe('bad_parameters_error')
  expect((await post({ workflow_id: 'x', force_status: 'failed', id: 'a b' })).status).toBe(400)
  expect((await post({ workflow_id: 'x', force_status: 'failed', deployment_id: 'nope' })).status).toBe(404)
  expect((await post({ workflow_id: 'x', deployment_id: '' })).status).toBe(404)
})

test('groups are restored with what they had', async () => {
  await addDeployment(system.db, 'member')
  const group = await put('/deployment-groups/g', {
    deployment_ids: ['member'],
    creation_counter: 9,
    filter_id: null,
    new_deployments: null,
    ...creation,
  })
  expect(group).toMatchObject({ status: 200, body: { creation_counter: 9, ...creation } })
  expect((await put('/deployment-groups/h', { created_by: 'admin' }, { user: 'manager1' })).status).toBe(403)

  const { body: execution } = await post({
    deployment_id: 'member',
    workflow_id: 'x',
    force_status: 'failed',
  })
  const body = {
    id: 'old-group',
    deployment_group_id: 'g',
    workflow_id: 'x',
    associated_executions: [execution.id],
    concurrency: 3,
    default_parameters: null,
    parameters: null,
    force: false,
    ...creation,
  }
  const restore = (given: object, request: TestRequest = {}) =>
    system.inject('POST', '/execution-groups', { body: given, ...request })
  expect(await restore(body)).toMatchObject({
    status: 200,
    body: { id: 'old-group', execution_ids: [execution.id], status: 'failed', concurrency: 3, ...creation },
  })
  expect((await restore(body)).status).toBe(409)
  expect((await restore({ ...body, id: 'x', associated_executions: ['nope'] })).status).toBe(404)
  expect(await restore({ ...body, id: 'orphan', deployment_group_id: null })).toMatchObject({ status: 200 })
  const { created_by: _by, created_at: _at, ...mine } = body
  expect((await restore({ ...mine, id: 'y' }, { user: 'manager1' })).status).toBe(403)
  expect(
    (await restore({ deployment_group_id: 'g', workflow_id: 'x', id: 'z' }, { user: 'manager1' })).status,
  ).toBe(403)
  expect((await restore({ deployment_group_id: null, workflow_id: 'x' })).status).toBe(400)
})
