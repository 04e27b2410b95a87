import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { callingBlueprint } from '../../../test/calling-blueprint.ts'
import { addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
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
  await addUser(system.db, 'viewer1', { tenants: { 0: 'viewer' } })
  await system.upload('calls', callingBlueprint(gate.port))
  await system.deploy('idle', 'calls')
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
const post = (body: object, request: TestRequest = {}) =>
  system.inject('POST', '/executions', {
    ...request,
    body: { deployment_id: 'idle', workflow_id: 'install', ...body },
  })
const executionsOf = async (id: string) =>
  (
    await system.inject(
      'GET',
      `/executions?deployment_id=${id}&workflow_id=create_deployment_environment`,
      {},
    )
  ).status === 200
    ? (await system.inject('GET', `/executions?deployment_id=${id}`)).body.items.filter(
        (one: { workflow_id: string }) => one.workflow_id !== 'create_deployment_environment',
      )
    : []
/** Answers the next call, which must be this one's. */
async function answer(who: string, how: 'ok' | 'fail' = 'ok') {
  const call = await gate.next()
  expect(call.who).toBe(who)
  call.answer(how)
}

test('a workflow runs with all that the Python client sends, and shows its way', async () => {
  const id = await deployed()
  const { status, body } = await post({
    deployment_id: id,
    parameters: null,
    allow_custom_parameters: 'false',
    force: 'False',
    dry_run: 'false',
    queue: 'false',
    scheduled_time: null,
    wait_after_fail: 600,
    force_status: null,
    created_by: null,
    created_at: null,
    started_at: null,
    ended_at: null,
    id: null,
    is_system_workflow: null,
    error: null,
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    workflow_id: 'install',
    deployment_id: id,
    deployment_display_name: id,
    blueprint_id: 'calls',
    error: '',
    parameters: { node_ids: [], node_instance_ids: [], type_names: [] },
    is_system_workflow: false,
    is_dry_run: false,
    resume: false,
    allow_custom_parameters: false,
    ended_at: null,
    scheduled_for: null,
    created_by: 'admin',
    tenant_name: 'default_tenant',
    visibility: 'tenant',
    private_resource: false,
  })
  expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  await answer('first create')
  expect((await system.inject('GET', `/executions/${body.id}`)).body).toMatchObject({
    status: 'started',
    status_display: 'started',
    started_at: expect.stringMatching(/Z$/),
    ended_at: null,
  })
  await answer('second create')
  const ended = await system.ended(body.id)
  expect(ended).toMatchObject({ status: 'terminated', status_display: 'completed', error: '' })
  expect(ended.finished_operations).toBe(ended.total_operations)
  const times = [ended.created_at, ended.started_at, ended.ended_at].map(Date.parse)
  expect(times).toEqual([...times].sort())
})

test.each<[string, object, number, string, string]>([
  [
    'no deployment',
    { deployment_id: undefined },
    400,
    'bad_parameters_error',
    'Missing deployment_id in json request body',
  ],
  [
    'no workflow',
    { workflow_id: undefined },
    400,
    'bad_parameters_error',
    'Missing workflow_id in json request body',
  ],
  [
    'parameters that are no object',
    { parameters: 'a=b' },
    400,
    'bad_parameters_error',
    'parameters parameter is expected to be of type dict but is of type str',
  ],
  ['a bad flag', { queue: 'soon' }, 400, 'bad_parameters_error', 'queue must be <true/false>, got soon'],
  [
    'a time to wait that is none',
    { wait_after_fail: 'long' },
    400,
    'bad_parameters_error',
    'wait_after_fail',
  ],
  ['a time to wait beyond all', { wait_after_fail: 1e12 }, 400, 'bad_parameters_error', 'too large'],
  [
    'an unknown deployment',
    { deployment_id: 'nope' },
    404,
    'not_found_error',
    'Requested `Deployment` with ID `nope` was not found',
  ],
  [
    'an unknown workflow',
    { workflow_id: 'nope' },
    400,
    'nonexistent_workflow_error',
    'Workflow nope does not exist in deployment idle',
  ],
  [
    'a workflow named like a part of JavaScript',
    { workflow_id: 'constructor' },
    400,
    'nonexistent_workflow_error',
    'constructor',
  ],
  ['a workflow that is not built', { workflow_id: 'update' }, 501, 'not_implemented', 'has not built it yet'],
  ['a later time', { scheduled_time: '203001010000+0000' }, 501, 'not_implemented', 'later time'],
  [
    'undeclared parameters',
    { parameters: { a: 1, b: 2 } },
    400,
    'illegal_execution_parameters_error',
    'Workflow "install" does not have the following parameters declared: a,b.',
  ],
  [
    'missing parameters',
    { workflow_id: 'typed' },
    400,
    'illegal_execution_parameters_error',
    'Workflow "typed" must be provided with the following parameters to execute: one,two',
  ],
  [
    'a parameter of another type',
    { workflow_id: 'typed', parameters: { one: '', two: 1, number: 'x' } },
    400,
    'illegal_execution_parameters_error',
    'Parameter "number" must be of type integer',
  ],
  [
    'a number where a text must be',
    { workflow_id: 'typed', parameters: { one: 1, two: 1 } },
    400,
    'illegal_execution_parameters_error',
    'Parameter "one" must be of type string',
  ],
  [
    'a flag that is none',
    { workflow_id: 'typed', parameters: { one: '', two: 1, flag: 'maybe' } },
    400,
    'illegal_execution_parameters_error',
    'Parameter "flag" must be of type boolean',
  ],
  [
    'a list of others',
    { workflow_id: 'typed', parameters: { one: '', two: 1, list: ['x'] } },
    400,
    'illegal_execution_parameters_error',
    'list',
  ],
  [
    'a parameter against its constraints',
    { workflow_id: 'typed', parameters: { one: '', two: 1, number: 11 } },
    400,
    'illegal_execution_parameters_error',
    'Parameter "number" does not meet its constraints: ',
  ],
  [
    'execute_operation without operation',
    { workflow_id: 'execute_operation' },
    400,
    'illegal_execution_parameters_error',
    'must be provided with the following parameters to execute: operation',
  ],
])('a start with %s is refused and leaves no execution', async (_what, body, status, code, message) => {
  expect(await post(body)).toMatchObject({
    status,
    body: { error_code: code, message: expect.stringContaining(message) },
  })
  expect(await executionsOf('idle')).toEqual([])
})

test('a parameter that must fit a secret is refused without a word of the secret', async () => {
  await system.inject('PUT', '/secrets/guard', { body: { value: 'open-sesame', is_hidden_value: true } })
  const constraint = { equal: { concat: [{ get_secret: 'guard' }, '!'] } }
  const guarded = {
    mapping: 'default_workflows.cloudify.plugins.workflows.install',
    parameters: { word: { type: 'string', constraints: [constraint] } },
  }
  await system.upload('guarded', blueprintArchive(blueprintText({ workflows: { guarded } })))
  await system.deploy('guarded', 'guarded')
  const start = (word: string) =>
    post({ deployment_id: 'guarded', workflow_id: 'guarded', parameters: { word } }, { user: 'alice' })
  const refused = await start('a guess')
  expect(refused).toMatchObject({
    status: 400,
    body: {
      error_code: 'illegal_execution_parameters_error',
      message: expect.stringContaining(
        "violates constraint equal({'concat': [{'get_secret': 'guard'}, '!']})",
      ),
    },
  })
  expect(refused.text).not.toContain('sesame')
  expect((await start('open-sesame!')).status).toBe(201)
})

test('a workflow is what it is mapped to, and what cannot be run is neither available nor started', async () => {
  const id = await deployed()
  const { workflows } = (await system.inject('GET', `/deployments/${id}`)).body
  const available = (name: string) =>
    workflows.find((one: { name: string }) => one.name === name).is_available
  expect(['install', 'put_up', 'mine', 'install_new_agents'].map(available)).toEqual([
    true,
    true,
    true,
    false,
  ])
  const workflow_id = 'install_new_agents'
  const mapping = 'default_workflows.cloudify.plugins.workflows.install_new_agents'
  for (const more of [{}, { force: true }, { dry_run: true }, { queue: true }]) {
    expect(await post({ deployment_id: id, workflow_id, ...more })).toMatchObject({
      status: 501,
      body: {
        error_code: 'not_implemented',
        message: expect.stringContaining(`Workflow ${workflow_id} cannot be run: it is mapped to ${mapping}`),
      },
    })
  }
  expect(await executionsOf(id)).toEqual([])

  const started = await post({ deployment_id: id, workflow_id: 'put_up' })
  expect(started.status).toBe(201)
  await answer('first create')
  await answer('second create')
  expect((await system.ended(started.body.id)).status).toBe('terminated')
  expect((await system.inject('GET', `/deployments/${id}`)).body.installation_status).toBe('active')
})

test("a blueprint's workflow with the name of one of the manager's own is never that one", async () => {
  const mapping = 'default_workflows.cloudify.plugins.workflows.install'
  const names = ['upload_blueprint', 'create_deployment_environment', 'delete_deployment_environment']
  const workflows = Object.fromEntries(names.map((name) => [name, { mapping }]))
  await system.upload('disguised', blueprintArchive(blueprintText({ workflows })))
  await system.deploy('disguised', 'disguised')
  await system.inject('PUT', '/deployment-groups/disguised', { body: { deployment_ids: ['disguised'] } })
  const listed = (await system.inject('GET', '/deployments/disguised')).body.workflows
  for (const workflow_id of names) {
    expect(listed.find(({ name }: { name: string }) => name === workflow_id).is_available).toBe(false)
    for (const more of [{}, { force: true }, { queue: true }]) {
      expect(await post({ deployment_id: 'disguised', workflow_id, ...more })).toMatchObject({
        status: 501,
        body: { message: expect.stringContaining(`Workflow ${workflow_id} cannot be run: its name`) },
      })
    }
    const body = { deployment_group_id: 'disguised', workflow_id }
    const group = (await system.inject('POST', '/execution-groups', { body })).body
    expect(await system.ended(group.execution_ids[0])).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('cannot be run: its name'),
    })
  }
  expect((await system.inject('GET', '/deployments/disguised')).status).toBe(200)
})

test("a group runs a blueprint's own workflow of a name that is not built", async () => {
  const update = { mapping: 'default_workflows.cloudify.plugins.workflows.install' }
  await system.upload('own-update', blueprintArchive(blueprintText({ workflows: { update } })))
  await system.deploy('own-update', 'own-update')
  await system.inject('PUT', '/deployment-groups/own-update', { body: { deployment_ids: ['own-update'] } })
  const body = { deployment_group_id: 'own-update', workflow_id: 'update' }
  const started = await system.inject('POST', '/execution-groups', { body })
  expect(started.status).toBe(200)
  expect((await system.ended(started.body.execution_ids[0])).status).toBe('terminated')
  const none = { deployment_group_id: 'disguised', workflow_id: 'update' }
  expect((await system.inject('POST', '/execution-groups', { body: none })).status).toBe(501)
})

test('an alias of uninstall asks who depends on the deployment, as uninstall does', async () => {
  const [id, other] = [await deployed(), await deployed()]
  await system.inject('PUT', '/deployments/inter-deployment-dependencies', {
    body: { dependency_creator: 'x', source_deployment: other, target_deployment: id },
  })
  await system.db
    .updateTable('deployments')
    .set({ installation_status: 'active' })
    .where('id', '=', other)
    .execute()
  for (const workflow_id of ['uninstall', 'take_down']) {
    expect(await post({ deployment_id: id, workflow_id })).toMatchObject({
      status: 400,
      body: { error_code: 'dependent_exists_error' },
    })
  }
})

test('parameters become what their types say, defaults are filled in', async () => {
  const id = await deployed()
  const { status, body } = await post({
    deployment_id: id,
    workflow_id: 'typed',
    parameters: {
      one: 'x',
      two: { any: 1 },
      number: '7',
      share: '0.25',
      flag: 'true',
      list: ['1', 2],
      more: 1,
    },
    allow_custom_parameters: true,
  })
  expect({ status, message: body.message }).toEqual({ status: 201 })
  expect(body.parameters).toEqual({
    text: '',
    number: 7,
    share: 0.25,
    flag: true,
    list: [1, 2],
    one: 'x',
    two: { any: 1 },
    more: 1,
    ...('optional' in body.parameters && { optional: null }),
  })
  expect(body.allow_custom_parameters).toBe(true)
  // What it is mapped to wants another parameter: that is a failure with a reason.
  expect(await system.ended(body.id)).toMatchObject({
    status: 'failed',
    error: 'Parameter operation must name the operation to execute.',
  })
})

test('a workflow that does not fit the state fails, visibly, unless it is forced', async () => {
  const id = await deployed()
  for (const [workflow, why] of [
    ['uninstall', 'it needs active node instances: all or partial, but none of them is started'],
    ['off', 'it is switched off'],
    ['hosts', 'it needs a node of type cloudify.nodes.Compute'],
  ]) {
    const message = `Workflow ${workflow} is not available for deployment ${id}: ${why}`
    expect(await post({ deployment_id: id, workflow_id: workflow })).toMatchObject({
      status: 400,
      body: { error_code: 'unavailable_workflow_error', message },
    })
    const { body } = await system.inject('GET', `/executions?deployment_id=${id}&workflow_id=${workflow}`)
    expect(body.items).toMatchObject([
      { status: 'failed', error: `Error preparing execution: ${message}`, ended_at: expect.any(String) },
    ])
  }
  expect((await system.inject('GET', `/deployments/${id}`)).body.latest_execution_workflow_id).toBe(
    'create_deployment_environment',
  )
  const forced = await post({ deployment_id: id, workflow_id: 'uninstall', force: 'true' })
  expect(forced.status).toBe(201)
  expect((await system.ended(forced.body.id)).status).toBe('terminated')
})

test('one at a time: another one is refused without trace, queued, or forced beside', async () => {
  const id = await deployed()
  const running = await system.start(id, 'install')
  const call = await gate.next()
  expect(await post({ deployment_id: id })).toMatchObject({
    status: 400,
    body: {
      error_code: 'existing_running_execution_error',
      message: expect.stringMatching(
        new RegExp(`^The following executions are currently running for this deployment: ${running}`),
      ),
    },
  })
  // Nothing is installed yet, but what waits will find it so.
  const queued = await post({ deployment_id: id, workflow_id: 'uninstall', queue: 'true' })
  expect(queued).toMatchObject({ status: 201, body: { status: 'queued', started_at: null } })
  const behind = await post({ deployment_id: id, workflow_id: 'install', queue: true })
  expect(behind.body.status).toBe('queued')
  expect(await executionsOf(id)).toHaveLength(3)

  const forced = await post({
    deployment_id: id,
    workflow_id: 'execute_operation',
    parameters: { operation: 'own.call', node_ids: ['first'] },
    force: true,
  })
  expect(forced.status).toBe(201)
  await answer('first call')
  expect((await system.ended(forced.body.id)).status).toBe('terminated')

  call.answer('ok')
  await answer('second create')
  expect((await system.ended(running)).status).toBe('terminated')
  await answer('second delete')
  await answer('first delete')
  expect((await system.ended(queued.body.id)).status).toBe('terminated')
  await answer('first create')
  await answer('second create')
  const last = await system.ended(behind.body.id)
  expect(last.status).toBe('terminated')
  expect(Date.parse(last.started_at)).toBeGreaterThanOrEqual(
    Date.parse((await system.ended(queued.body.id)).ended_at),
  )
})

test('of several starts at once, one runs and the rest is refused or queued', async () => {
  const id = await deployed()
  // The first is at work until all have been answered.
  const running = gate.next()
  const answers = await Promise.all([1, 2, 3].map(() => post({ deployment_id: id })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  const operation = { workflow_id: 'execute_operation', parameters: { operation: 'own.call' } }
  const queued = await Promise.all([1, 2].map(() => post({ deployment_id: id, queue: true, ...operation })))
  expect(queued.map(({ body }) => body.status)).toEqual(['queued', 'queued'])
  gate.alwaysAnswer('ok')
  ;(await running).answer('ok')
  for (const { body } of [...answers, ...queued]) {
    if (body.id !== undefined) expect((await system.ended(body.id)).status).toBe('terminated')
  }
  gate.alwaysAnswer(undefined)
})

test('what may not run any more when its turn comes fails, and holds nothing up', async () => {
  const id = await deployed()
  const running = await system.start(id, 'install')
  const call = await gate.next()
  const again = await system.start(id, 'install', { queue: true })
  const behind = await system.start(id, 'uninstall', { queue: true })
  gate.alwaysAnswer('ok')
  call.answer('ok')
  expect((await system.ended(running)).status).toBe('terminated')
  expect(await system.ended(again)).toMatchObject({
    status: 'failed',
    started_at: null,
    error:
      `Error dequeueing execution: Workflow install is not available for deployment ${id}: ` +
      'it needs active node instances: none or partial, but all of them are started',
  })
  expect((await system.ended(behind)).status).toBe('terminated')
  gate.alwaysAnswer(undefined)
})

test('parameters are checked again when their turn comes', async () => {
  const id = await deployed()
  const { items } = (await system.inject('GET', `/node-instances?deployment_id=${id}&node_id=second`)).body
  const operation = (parameters: object, more = {}) =>
    system.start(id, 'execute_operation', { parameters: { operation: 'own.call', ...parameters }, ...more })
  const running = await operation({ node_ids: ['first'] })
  const call = await gate.next()
  const gone = await operation({ node_instance_ids: [items[0].id] }, { queue: true })
  const fine = await operation({ node_ids: ['first'] }, { queue: true })
  await system.db.deleteFrom('node_instances').where('id', '=', items[0].id).execute()
  call.answer('ok')
  await system.ended(running)
  expect(await system.ended(gone)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(
      /^Error dequeueing execution: Parameter "node_instance_ids" does not meet its constraints/,
    ),
  })
  await answer('first call')
  expect((await system.ended(fine)).status).toBe('terminated')
})

test.each([null, 5])(
  'what a default names (%s) is taken as it is, at once and after waiting',
  async (address) => {
    const id = await deployed()
    await system.db
      .updateTable('node_instances')
      .set({ runtime_properties: JSON.stringify({ address }) })
      .where('deployment_id', '=', id)
      .where('node_id', '=', 'first')
      .execute()
    const atOnce = await system.ended(await system.start(id, 'addressed'))
    expect(atOnce.parameters).toEqual({ address })
    const running = await system.start(id, 'install')
    const call = await gate.next()
    const waiting = await system.start(id, 'addressed', { queue: true })
    gate.alwaysAnswer('ok')
    call.answer('ok')
    await system.ended(running)
    // It is not one of the built-in workflows, so how far it comes is all that can be seen.
    const { status, error, parameters } = await system.ended(waiting)
    expect({ status, error, parameters }).toEqual({
      status: atOnce.status,
      error: atOnce.error,
      parameters: { address },
    })
    gate.alwaysAnswer(undefined)
  },
)

test('functions of a deployment that its starter sees no more are not handed on as they stand', async () => {
  const id = await deployed()
  const running = await system.start(id, 'install')
  const call = await gate.next()
  const { body } = await post({ deployment_id: id, workflow_id: 'addressed', queue: true }, { user: 'alice' })
  const address = { get_attribute: ['first', 'address'] }
  await system.db
    .updateTable('executions')
    .set({ parameters: JSON.stringify({ address }) })
    .where('id', '=', body.id)
    .execute()
  await system.db.updateTable('deployments').set({ visibility: 'private' }).where('id', '=', id).execute()
  gate.alwaysAnswer('ok')
  call.answer('ok')
  await system.ended(running)
  expect(await system.ended(body.id)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^Error dequeueing execution: .*was not found/),
  })
  gate.alwaysAnswer(undefined)
})

test('everything waits behind a system workflow, whatever it asks for', async () => {
  const id = await deployed()
  const blocker = await addExecution(system.db, { workflowId: 'create_snapshot' })
  await system.db
    .updateTable('executions')
    .set({ is_system_workflow: true })
    .where('id', '=', blocker.id)
    .execute()
  const waiting = await post({ deployment_id: id, force: true })
  expect(waiting).toMatchObject({ status: 201, body: { status: 'queued' } })
  const listed = async (query: string) =>
    (await system.inject('GET', `/executions?workflow_id=create_snapshot&${query}`)).body.items.length
  expect(await listed('')).toBe(0)
  expect(await listed('_include_system_workflows=true')).toBe(1)
  expect(await listed('is_system_workflow=true')).toBe(1)
  await system.inject('PATCH', `/executions/${blocker.id}`, { body: { status: 'terminated' } })
  await answer('first create')
  await answer('second create')
  expect((await system.ended(waiting.body.id)).status).toBe('terminated')
})

test('a dry run does nothing and tells everything', async () => {
  const id = await deployed()
  const { body } = await post({ deployment_id: id, dry_run: 'True' })
  expect(body.is_dry_run).toBe(true)
  const called = gate.seen.length
  expect((await system.ended(body.id)).status).toBe('terminated')
  expect(gate.seen.length).toBe(called)
  const events = (await system.inject('GET', `/events?execution_id=${body.id}`)).body.items
  expect(events.length).toBeGreaterThan(5)
  for (const event of events) expect(event.message).toMatch(/ \(dry run\)$/)
  const instances = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body.items
  expect(new Set(instances.map((one: { state: string }) => one.state))).toEqual(new Set(['uninitialized']))
})

test('execute_operation runs one operation where it is asked for', async () => {
  const id = await deployed()
  const execution = await system.start(id, 'execute_operation', {
    parameters: { operation: 'own.call', run_by_dependency_order: true },
  })
  await answer('first call')
  await answer('second call')
  expect((await system.ended(execution)).status).toBe('terminated')
  const failing = await system.start(id, 'execute_operation', {
    parameters: { operation: 'own.call', node_ids: ['second'] },
  })
  await answer('second call', 'fail')
  expect(await system.ended(failing)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('told to fail'),
  })
})

test('dependents keep a deployment from being uninstalled, unless it is forced', async () => {
  const id = await deployed()
  const user = await deployed()
  await system.db
    .insertInto('inter_deployment_dependencies')
    .values({
      tenant_id: 0,
      id: 'dependency',
      dependency_creator: 'component.x',
      source_deployment_id: user,
      target_deployment_id: id,
      created_by: 'admin',
    })
    .execute()
  expect(await post({ deployment_id: id, workflow_id: 'uninstall' })).toMatchObject({
    status: 400,
    body: { error_code: 'dependent_exists_error', message: expect.stringContaining(user) },
  })
  expect((await executionsOf(id))[0]).toMatchObject({ status: 'failed' })
  const forced = await post({ deployment_id: id, workflow_id: 'uninstall', force: true })
  expect((await system.ended(forced.body.id)).status).toBe('terminated')
})

test('who may start what', async () => {
  const other = await addTenant(system.db, 'other')
  await addUser(system.db, 'carol', { tenants: { [other]: 'user' } })
  await addUser(system.db, 'manager1', { tenants: { [other]: 'manager' } })
  expect((await post({}, { user: 'viewer1' })).status).toBe(403)
  expect((await post({}, { user: 'carol', tenant: 'other' })).status).toBe(404)

  const mine = await deployed()
  await system.db
    .updateTable('deployments')
    .set({ visibility: 'private', created_by: 'alice' })
    .where('id', '=', mine)
    .execute()
  expect((await post({ deployment_id: mine }, { user: 'bob' })).status).toBe(404)

  const global = await deployed()
  await system.db.updateTable('deployments').set({ visibility: 'global' }).where('id', '=', global).execute()
  expect(
    await post({ deployment_id: global, workflow_id: 'off' }, { user: 'carol', tenant: 'other' }),
  ).toMatchObject({
    status: 403,
    body: { error_code: 'forbidden_error' },
  })
  const forced = { deployment_id: global, workflow_id: 'uninstall', force: true }
  const { status, body } = await post(forced, { user: 'manager1', tenant: 'other' })
  expect({ status, tenant: body.tenant_name, by: body.created_by }).toEqual({
    status: 201,
    tenant: 'default_tenant',
    by: 'manager1',
  })
  expect((await system.ended(body.id)).status).toBe('terminated')

  const { token } = await addExecution(system.db, { status: 'cancelling' })
  expect(await post({}, { executionToken: token })).toMatchObject({
    status: 403,
    body: { error_code: 'forbidden_while_cancelling' },
  })
})

test('what waits in the queue though nothing runs any more is found', async () => {
  const id = await deployed()
  gate.alwaysAnswer('ok')
  // As it is left by an end that looked a moment before this was queued.
  const execution = await addExecution(system.db, {
    deploymentId: id,
    workflowId: 'install',
    status: 'queued',
  })
  expect((await system.ended(execution.id)).status).toBe('terminated')
  gate.alwaysAnswer(undefined)
})
