import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addBlueprint, addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import type { TestRequest } from '../../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem

const nodes = {
  host: { type: 'cloudify.nodes.Root', capabilities: { scalable: { properties: { default_instances: 2 } } } },
  app: {
    type: 'cloudify.nodes.Root',
    relationships: [{ target: 'host', type: 'cloudify.relationships.contained_in' }],
  },
}

beforeAll(async () => {
  system = await startTestSystem()
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
  await addUser(system.db, 'viewer1', { tenants: { 0: 'viewer' } })
  await system.upload(
    'inputs',
    blueprintArchive(
      blueprintText({
        description: 'With inputs',
        inputs: {
          needed: { type: 'string' },
          number: { type: 'integer', default: 1, constraints: [{ in_range: [1, 10] }] },
          optional: { required: false },
        },
        node_templates: nodes,
        groups: { all: { members: ['host', 'app'] } },
        policies: {
          grow: {
            type: 'cloudify.policies.scaling',
            targets: ['all'],
            properties: { default_instances: 1 },
          },
        },
        labels: { own: { values: ['one', 'two'] } },
        deployment_settings: { display_name: 'From the blueprint' },
        outputs: { number: { description: 'The number', value: { get_input: 'number' } } },
        capabilities: { number: { value: { get_input: 'number' } } },
      }),
    ),
  )
  await system.upload('plain')
})
afterAll(() => system.close())

let next = 0
const newId = () => `dep${next++}`
const create = (id: string, body: object, request: TestRequest & { readonly query?: string } = {}) => {
  const { query = '', ...rest } = request
  return system.inject('PUT', `/deployments/${id}?${query}`, {
    ...rest,
    body: { blueprint_id: 'plain', ...body },
  })
}
const get = async (id: string, query = '') => (await system.inject('GET', `/deployments/${id}?${query}`)).body

test('a deployment is made with its nodes and instances, and shows all that clients read', async () => {
  const id = newId()
  // As the Python client sends it.
  const { status, body } = await create(id, {
    blueprint_id: 'inputs',
    visibility: 'tenant',
    skip_plugins_validation: false,
    runtime_only_evaluation: false,
    inputs: { needed: 'x' },
    labels: [{ Env: 'Prod' }],
    display_name: 'My app',
  })
  expect(status).toBe(201)
  expect(body).toEqual(await get(id, 'all_sub_deployments=True&include_workdir=False'))
  expect(body).toMatchObject({
    id,
    blueprint_id: 'inputs',
    display_name: 'My app',
    description: 'With inputs',
    inputs: { needed: 'x', number: 1, optional: null },
    outputs: { number: { description: 'The number', value: 1 } },
    capabilities: { number: { value: 1 } },
    scaling_groups: {
      all: { members: ['host'], properties: { default_instances: 1, current_instances: 1 } },
    },
    created_by: 'admin',
    tenant_name: 'default_tenant',
    visibility: 'tenant',
    resource_availability: 'tenant',
    private_resource: false,
    site_name: null,
    runtime_only_evaluation: false,
    environment_type: '',
    deployment_groups: [],
    sub_services_count: 0,
    sub_environments_count: 0,
    sub_services_status: null,
    sub_environments_status: null,
    has_sub_deployments: false,
    latest_execution: body.create_execution,
    latest_execution_workflow_id: 'create_deployment_environment',
    latest_execution_status: 'completed',
    latest_execution_total_operations: 0,
    latest_execution_finished_operations: 0,
    installation_status: 'inactive',
    deployment_status: 'requires_attention',
    unavailable_instances: 4,
    drifted_instances: 0,
    workdir_zip: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  expect(
    body.labels.map((label: { key: string; value: string }) => `${label.key}=${label.value}`).sort(),
  ).toEqual(['env=Prod', 'own=one', 'own=two'])
  const workflows = new Map(body.workflows.map((workflow: { name: string }) => [workflow.name, workflow]))
  expect(workflows.get('install')).toEqual({
    name: 'install',
    created_at: null,
    plugin: 'default_workflows',
    operation: 'cloudify.plugins.workflows.install',
    parameters: expect.objectContaining({ node_ids: expect.anything() }),
    is_cascading: false,
    is_available: true,
    availability_rules: { node_instances_active: ['none', 'partial'] },
  })
  expect(workflows.get('uninstall')).toMatchObject({ is_available: false })
  expect(workflows.get('execute_operation')).toMatchObject({ is_available: true })
  const listed = async (path: string) =>
    (await system.inject('GET', `/${path}?deployment_id=${id}`)).body.items
  expect(await listed('nodes')).toHaveLength(2)
  const instances = await listed('node-instances')
  expect(instances).toHaveLength(4)
  expect(new Set(instances.map((one: { state: string }) => one.state))).toEqual(new Set(['uninitialized']))
})

test("the name is the blueprint's, or else the id, when the request has none", async () => {
  const [one, other] = [newId(), newId()]
  expect((await create(one, { blueprint_id: 'inputs', inputs: { needed: '' } })).body.display_name).toBe(
    'From the blueprint',
  )
  expect((await create(other, { display_name: null })).body.display_name).toBe(other)
  // Not unique, and written one way.
  expect((await create(newId(), { display_name: '\u212bngstr\u00f6m' })).body.display_name).toBe(
    '\u00c5ngstr\u00f6m',
  )
  expect((await create(newId(), { display_name: '\u00c5ngstr\u00f6m' })).status).toBe(201)
})

test('an asynchronous creation is answered at once, and seen at the deployment', async () => {
  const id = newId()
  const { status, body } = await create(id, {}, { query: 'async_create=True' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ id, latest_execution: body.create_execution })
  const execution = await system.ended(body.create_execution)
  expect(execution).toMatchObject({
    workflow_id: 'create_deployment_environment',
    status: 'terminated',
    deployment_id: id,
    blueprint_id: 'plain',
    is_system_workflow: false,
    parameters: { inputs: {}, labels: [], display_name: null },
  })
  expect((await get(id)).latest_execution_status).toBe('completed')
})

test('who does not wait for the creation need not wait for the upload either', async () => {
  const uploading = await system.send('PUT', '/blueprints/uploading?async_upload=true', {
    body: blueprintArchive(),
  })
  expect(uploading.status).toBe(201)
  expect((await create(newId(), { blueprint_id: 'uploading' }, { query: 'async_create=true' })).status).toBe(
    201,
  )
})

test.each<[string, string, object, number, string, string]>([
  ['an id with other characters', 'a b', {}, 400, 'bad_parameters_error', 'illegal characters'],
  ['a long id', 'a'.repeat(257), {}, 400, 'bad_parameters_error', 'too long'],
  [
    'no blueprint',
    'x',
    { blueprint_id: undefined },
    400,
    'bad_parameters_error',
    'Missing blueprint_id in json request body',
  ],
  [
    'an unknown blueprint',
    'x',
    { blueprint_id: 'nope' },
    404,
    'not_found_error',
    'Requested `Blueprint` with ID `nope` was not found',
  ],
  [
    'a blueprint that failed',
    'x',
    { blueprint_id: 'invalid' },
    400,
    'deployment_creation_error',
    'Unable to create a deployment based on a blueprint which is not `uploaded` but: `invalid`',
  ],
  [
    'inputs that are no object',
    'x',
    { inputs: [] },
    400,
    'bad_parameters_error',
    'inputs parameter is expected to be of type dict but is of type list',
  ],
  [
    'labels that are no list',
    'x',
    { labels: {} },
    400,
    'bad_parameters_error',
    'labels parameter is expected to be of type list but is of type dict',
  ],
  [
    'a bad flag',
    'x',
    { runtime_only_evaluation: 'maybe' },
    400,
    'bad_parameters_error',
    'must be <true/false>, got maybe',
  ],
  [
    'an unknown visibility',
    'x',
    { visibility: 'all' },
    400,
    'bad_parameters_error',
    'Invalid visibility: `all`',
  ],
  [
    'two visibilities',
    'x',
    { visibility: 'tenant', private_resource: true },
    400,
    'bad_parameters_error',
    "can't be used together",
  ],
  [
    'an unknown site',
    'x',
    { site_name: 'moon' },
    404,
    'not_found_error',
    'Requested `Site` with ID `moon` was not found',
  ],
  [
    'a reserved label',
    'x',
    { labels: [{ 'csys-x': 'y' }] },
    400,
    'bad_parameters_error',
    'reserved for internal use',
  ],
  ['an empty display name', 'x', { display_name: '' }, 400, 'bad_parameters_error', 'display_name'],
  ['a long display name', 'x', { display_name: 'x'.repeat(257) }, 400, 'bad_parameters_error', 'too long'],
  [
    'a control character in the name',
    'x',
    { display_name: 'a\nb' },
    400,
    'bad_parameters_error',
    'control characters',
  ],
  [
    'a plugin that is not there',
    'x',
    { blueprint_id: 'plugged' },
    400,
    'deployment_plugin_not_found',
    'Required plugin my-plugin, version 1.0 is not installed on the manager',
  ],
  [
    'missing inputs',
    'x',
    { blueprint_id: 'inputs' },
    400,
    'missing_required_deployment_input_error',
    'Cannot create deployment - missing inputs: needed',
  ],
  [
    'unknown inputs',
    'x',
    { blueprint_id: 'inputs', inputs: { needed: 1, a: 1, b: 1 } },
    400,
    'unknown_deployment_input_error',
    'Cannot create deployment - unknown inputs: a, b',
  ],
  [
    'an input named like a part of JavaScript',
    'x',
    { inputs: { constructor: 1 } },
    400,
    'unknown_deployment_input_error',
    'constructor',
  ],
])('a creation with %s is refused and leaves nothing', async (_what, id, body, status, code, message) => {
  await addBlueprint(system.db, 'invalid')
  await system.db.updateTable('blueprints').set({ state: 'invalid' }).where('id', '=', 'invalid').execute()
  if ('blueprint_id' in body && body.blueprint_id === 'plugged') await uploadPlugged()
  expect(await create(encodeURIComponent(id), body)).toMatchObject({
    status,
    body: { error_code: code, message: expect.stringContaining(message) },
  })
  expect((await system.inject('GET', '/deployments/x')).status).toBe(404)
})

async function uploadPlugged() {
  await system.upload(
    'plugged',
    blueprintArchive(
      blueprintText({
        plugins: {
          mine: { executor: 'central_deployment_agent', package_name: 'my-plugin', package_version: '1.0' },
        },
        node_templates: {
          one: {
            type: 'cloudify.nodes.Root',
            interfaces: { 'cloudify.interfaces.lifecycle': { create: 'mine.tasks.create' } },
          },
        },
      }),
    ),
  )
  const skipped = await create(newId(), { blueprint_id: 'plugged', skip_plugins_validation: true })
  expect(skipped.status).toBe(201)
}

test('capabilities that the blueprint needs must be declared by the environment', async () => {
  const properties = {
    ip: { get_environment_capability: 'address' },
    os_family: { get_environment_capability: ['network', 'os'] },
  }
  await system.upload(
    'inside',
    blueprintArchive(
      blueprintText({ node_templates: { vm: { type: 'cloudify.nodes.Compute', properties } } }),
    ),
  )
  const outside = async (capabilities: object) => {
    const id = newId()
    await system.upload(id, blueprintArchive(blueprintText({ capabilities })))
    expect((await create(id, { blueprint_id: id })).status).toBe(201)
    return id
  }
  const poor = await outside({ address: { value: '10.0.0.1' }, network: { value: { dns: 'x' } } })
  const rich = await outside({ address: { value: '10.0.0.1' }, network: { value: { os: 'linux' } } })
  const within = (parents: readonly string[]) => {
    const labels = parents.map((parent) => ({ 'csys-obj-parent': parent }))
    return create(newId(), { blueprint_id: 'inside', labels })
  }
  const refused = (message: string) => ({
    status: 400,
    body: { error_code: 'deployment_creation_error', message },
  })
  const lacks = 'The deployment needs capabilities that its environment does not have, '
  expect(await within([])).toMatchObject(
    refused(`${lacks}it is in none (label csys-obj-parent): address, network.os`),
  )
  expect(await within([poor])).toMatchObject(refused(`${lacks}${poor}: network.os`))
  expect(await within(['nope'])).toMatchObject(
    refused('Environment referenced by `csys-obj-parent` not found: nope'),
  )
  expect((await within([poor, rich])).status).toBe(201)
  const mine = newId()
  await create(mine, { blueprint_id: poor, visibility: 'private' })
  const labels = [{ 'csys-obj-parent': mine }]
  expect(await create(newId(), { blueprint_id: 'inside', labels }, { user: 'alice' })).toMatchObject(
    refused(`Environment referenced by \`csys-obj-parent\` not found: ${mine}`),
  )
})

test('a deployment may be there before the one whose capabilities it uses', async () => {
  const far = (name: string) => ({ get_capability: [name, 'number'] })
  const value = { concat: ['n', far('not-yet')] }
  await system.upload(
    'early',
    blueprintArchive(
      blueprintText({
        inputs: { peer: { default: 'not-yet' } },
        node_templates: { one: { type: 'cloudify.nodes.Compute', properties: { ip: far('not-yet') } } },
        outputs: { far: { value }, named: { value: { get_capability: [{ get_input: 'peer' }, 'number'] } } },
      }),
    ),
  )
  await system.deploy('early', 'early')
  const targets = async () =>
    (
      await system.inject(
        'GET',
        '/deployments/inter-deployment-dependencies?source_deployment_id=early&_include=target_deployment_id',
      )
    ).body.items.map((item: { target_deployment_id: string | null }) => item.target_deployment_id)
  const before = await targets()
  expect(before.length).toBeGreaterThan(1)
  expect(before.every((target: string | null) => target === null)).toBe(true)

  await system.deploy('not-yet', 'inputs', { inputs: { needed: 'x', number: 7 } })
  expect(await targets()).toEqual(before.map(() => 'not-yet'))
  const { body } = await system.inject('GET', '/deployments/early/outputs')
  expect(body.outputs).toEqual({ far: 'n7', named: 7 })
  expect((await system.inject('DELETE', '/deployments/not-yet')).body.message).toContain(
    'the following existing installations depend on it',
  )
})

test('the first of several mistakes is told', async () => {
  // Everything is wrong; what is corrected, one after the other, brings up the next.
  const wrong = {
    blueprint_id: 'nope',
    site_name: 'moon',
    visibility: 'all',
    labels: [{ 'csys-x': 'y' }],
    inputs: { a: 1 },
  }
  const steps: [string, object][] = [
    ['bad_parameters_error', {}],
    ['not_found_error', { visibility: 'tenant' }],
    ['not_found_error', { visibility: 'tenant', blueprint_id: 'inputs' }],
    ['bad_parameters_error', { visibility: 'tenant', blueprint_id: 'inputs', site_name: null }],
    [
      'missing_required_deployment_input_error',
      { visibility: 'tenant', blueprint_id: 'inputs', site_name: null, labels: [] },
    ],
  ]
  const seen: string[] = []
  for (const [, change] of steps) seen.push((await create('y', { ...wrong, ...change })).body.error_code)
  expect(seen).toEqual(steps.map(([code]) => code))
})

test.each<[string, object, string]>([
  ['of another type', { needed: 'x', number: 'many' }, 'number'],
  ['as text where a number must be', { needed: 'x', number: '5' }, 'number'],
  ['against its constraint', { needed: 'x', number: 11 }, 'violates constraint in_range'],
])('an input %s fails the creation, which the next one replaces', async (_what, inputs, message) => {
  const id = newId()
  const failed = await create(id, { blueprint_id: 'inputs', inputs })
  expect(failed).toMatchObject({ status: 400, body: { error_code: 'deployment_creation_error' } })
  expect(failed.body.message).toContain(message)
  expect(failed.body.message).not.toContain('\n')
  const deployment = await get(id)
  expect(deployment).toMatchObject({
    latest_execution_status: 'failed',
    deployment_status: 'requires_attention',
  })
  const execution = (await system.inject('GET', `/executions/${deployment.create_execution}`)).body
  expect(execution.status).toBe('failed')
  expect(execution.error).toContain(failed.body.message)
  const start = await system.inject('POST', '/executions', {
    body: { deployment_id: id, workflow_id: 'install' },
  })
  expect(start).toMatchObject({ status: 400, body: { error_code: 'deployment_creation_error' } })
  expect((await create(id, {})).status).toBe(201)
  expect((await create(id, {})).status).toBe(409)
})

test('an input of null is none where one is optional, and a value elsewhere', async () => {
  const { status, body } = await create(newId(), {
    blueprint_id: 'inputs',
    inputs: { needed: 'x', optional: { deep: [1, null] } },
  })
  expect({ status, inputs: body.inputs }).toEqual({
    status: 201,
    inputs: { needed: 'x', number: 1, optional: { deep: [1, null] } },
  })
})

test('a secret that is not there is told by its own code', async () => {
  const text = blueprintText({
    node_templates: {
      one: {
        type: 'cloudify.nodes.Root',
        interfaces: {
          'cloudify.interfaces.lifecycle': { create: { inputs: { a: { default: { get_secret: 'key' } } } } },
        },
      },
    },
    outputs: { a: { value: { get_secret: 'key' } } },
  })
  await system.upload('secret', blueprintArchive(text))
  expect(await create(newId(), { blueprint_id: 'secret' })).toMatchObject({
    status: 400,
    body: {
      error_code: 'unknown_deployment_secret_error',
      message: expect.stringContaining("Required secrets: [key] don't exist in this tenant"),
    },
  })
  await system.inject('PUT', '/secrets/key', { body: { value: 'v' } })
  const id = newId()
  await system.deploy(id, 'secret')
  expect((await system.inject('GET', `/deployments/${id}/outputs`)).body.outputs).toEqual({ a: 'v' })
  await system.inject('DELETE', '/secrets/key')
  expect((await system.inject('GET', `/deployments/${id}/outputs`)).body.outputs).toEqual({})
})

test('functions stay as they are with runtime_only_evaluation', async () => {
  const { body } = await create(newId(), {
    blueprint_id: 'inputs',
    inputs: { needed: 'x' },
    runtime_only_evaluation: true,
  })
  expect(body).toMatchObject({
    runtime_only_evaluation: true,
    outputs: { number: { value: { get_input: 'number' } } },
  })
})

test('a second creation of an id is a conflict', async () => {
  const id = newId()
  await create(id, {})
  expect(await create(id, {})).toMatchObject({
    status: 409,
    body: {
      error_code: 'conflict_error',
      message: `<Deployment id=\`${id}\` tenant=\`default_tenant\`> already exists on <Tenant name=\`default_tenant\`> or with global visibility`,
    },
  })
})

test('of several creations of one id at once, one wins', async () => {
  const id = newId()
  const answers = await Promise.all([1, 2, 3, 4].map(() => create(id, {})))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  expect((await system.inject('GET', `/node-instances?deployment_id=${id}`)).body.items).toHaveLength(1)
})

test('either the blueprint is deleted or a deployment of it is made, never both', async () => {
  for (let round = 0; round < 4; round += 1) {
    const [blueprint, id] = [`short${round}`, newId()]
    await system.upload(blueprint)
    const [deleted, created] = await Promise.all([
      system.inject('DELETE', `/blueprints/${blueprint}?force=true`),
      create(id, { blueprint_id: blueprint }),
    ])
    const outcome = [deleted.status, created.status]
    expect([
      [204, 404],
      [400, 201],
    ]).toContainEqual(outcome)
    expect((await system.inject('GET', `/deployments/${id}`)).status).toBe(created.status === 201 ? 200 : 404)
  }
})

test('who may create what for whom', async () => {
  const other = await addTenant(system.db, 'other')
  await addUser(system.db, 'carol', { tenants: { [other]: 'user' } })
  await system.upload('private', blueprintArchive(), 'visibility=private', { user: 'alice' })
  await system.upload('global', blueprintArchive(), 'visibility=global')
  const asCarol = { user: 'carol', tenant: 'other' }

  expect((await create(newId(), {}, { user: 'viewer1' })).status).toBe(403)
  expect((await create(newId(), { blueprint_id: 'private' }, { user: 'bob' })).status).toBe(404)
  expect((await create(newId(), { blueprint_id: 'private' }, { user: 'alice' })).status).toBe(201)
  expect((await create(newId(), {}, asCarol)).status).toBe(404)

  const [mine, flagged, foreign, global] = [newId(), newId(), newId(), newId()]
  expect((await create(mine, { visibility: 'private' }, { user: 'alice' })).body.private_resource).toBe(true)
  const byQuery = await create(flagged, {}, { user: 'alice', query: 'private_resource=true' })
  expect(byQuery.body.visibility).toBe('private')
  expect((await create(newId(), { private_resource: true }, { user: 'alice' })).body.visibility).toBe(
    'private',
  )
  expect((await system.inject('GET', `/deployments/${mine}`, { user: 'bob' })).status).toBe(404)

  expect((await create(foreign, { blueprint_id: 'global' }, asCarol)).body).toMatchObject({
    tenant_name: 'other',
  })
  expect(
    await create(global, { blueprint_id: 'global', visibility: 'global' }, { user: 'alice' }),
  ).toMatchObject({
    status: 403,
    body: { error_code: 'forbidden_error' },
  })
  expect(await create(global, { visibility: 'global' })).toMatchObject({
    status: 403,
    body: { error_code: 'forbidden_error', message: expect.stringContaining('is not global') },
  })
  expect(await create(foreign, { blueprint_id: 'global', visibility: 'global' })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('also exists in other tenants') },
  })
  expect((await create(global, { blueprint_id: 'global', visibility: 'global' })).status).toBe(201)
  expect((await create(global, { blueprint_id: 'global' }, asCarol)).status).toBe(409)
  // Its blueprint is used from another tenant too.
  expect(await system.inject('DELETE', '/blueprints/global?force=true')).toMatchObject({
    status: 400,
    body: { error_code: 'dependent_exists_error' },
  })
})

test('operations of a cancelling execution may create nothing', async () => {
  const { token } = await addExecution(system.db, { status: 'cancelling' })
  expect(await create(newId(), {}, { executionToken: token })).toMatchObject({
    status: 403,
    body: { error_code: 'forbidden_while_cancelling' },
  })
})

test('ids may begin with anything that is legal', async () => {
  for (const id of ['1', '-', '.hidden', '~x', '_']) expect((await create(id, {})).status).toBe(201)
})
