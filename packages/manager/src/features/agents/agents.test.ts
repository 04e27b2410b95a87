import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment, addTenant, addUser } from '../../../test/fixtures.ts'
import { certificate } from '../../../test/slapd.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  const other = await addTenant(manager.db, 'other')
  await addUser(manager.db, 'uma', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'vera', { tenants: { 0: 'viewer', [other]: 'viewer' } })
  const nodes = [
    { id: 'vm', instances: [{ id: 'vm_1' }, { id: 'vm_2' }, { id: 'vm_3' }] },
    { id: 'db', instances: [{ id: 'db_1' }] },
  ]
  await addDeployment(manager.db, 'd', { nodes })
  await addDeployment(manager.db, 'far', {
    tenantId: other,
    nodes: [{ id: 'vm', instances: [{ id: 'far_1' }] }],
  })
})
afterAll(() => manager.close())

const agent = { node_instance_id: 'vm_1', state: 'started', create_rabbitmq_user: false }
const put = (name: string, body: object, request = {}) =>
  manager.inject('PUT', `/agents/${name}`, { body: { ...agent, ...body }, ...request })
const ids = async (query: string, request = {}) =>
  (await manager.inject('GET', `/agents?${query}`, request)).body.items.map((one: { id: string }) => one.id)

test('certificates are checked, and given to all agents where there are any that can be reached', async () => {
  const [ca, other] = await Promise.all([certificate('ca'), certificate('other-ca')])
  const replace = (body: object, user = 'admin') => manager.inject('PATCH', '/agents', { user, body })
  for (const body of [
    { manager_ca_cert: ca, broker_ca_cert: null, bundle: null },
    { manager_ca_cert: ca, broker_ca_cert: `${other}\n${ca}`, bundle: true },
    { broker_ca_cert: ca, bundle: ca },
  ]) {
    expect(await replace(body)).toMatchObject({ status: 200, body: { number_of_updated_agents: 0 } })
  }
  for (const [body, message] of [
    [{}, 'Missing broker_ca_cert or manager_ca_cert'],
    [{ bundle: true }, 'Missing broker_ca_cert or manager_ca_cert'],
    [{ manager_ca_cert: '/etc/ssl/ca.pem' }, 'manager_ca_cert must be one or more certificates'],
    [{ manager_ca_cert: ca, broker_ca_cert: ca.slice(0, 200) }, 'broker_ca_cert must be'],
    [{ manager_ca_cert: ca.replace(/M/g, 'N') }, 'manager_ca_cert must be'],
    [{ manager_ca_cert: ca, bundle: 'all' }, 'bundle must be'],
    [{ manager_ca_cert: ca, bundle: 7 }, 'bundle must be'],
    [{ manager_ca_cert: 7 }, 'manager_ca_cert parameter is expected to be of type str'],
  ] as const) {
    const answer = await replace(body)
    expect(answer, message).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error' } })
    expect(answer.body.message).toContain(message)
  }
  expect(await replace({ manager_ca_cert: ca }, 'uma')).toMatchObject({ status: 403 })
  // Nobody is told that an agent has what it does not have.
  await put('old', { node_instance_id: 'db_1' })
  expect(await replace({ manager_ca_cert: ca })).toMatchObject({
    status: 501,
    body: {
      error_code: 'not_implemented',
      message: expect.stringContaining('none of the 1 recorded agents'),
    },
  })
  await manager.db.deleteFrom('agents').execute()
})

test('an agent is recorded once, shown, and its state changed', async () => {
  const body = { ip: '10.0.0.3', install_method: 'remote', system: 'rocky linux', version: '7.1.0' }
  const made = await put('a1', { ...body, create_rabbitmq_user: true })
  expect(made).toMatchObject({
    status: 200,
    body: {
      id: 'a1',
      name: 'a1',
      host_id: 'vm_1',
      node_instance_id: 'vm_1',
      node: 'vm',
      deployment: 'd',
      state: 'started',
      rabbitmq_username: 'rabbitmq_user_a1',
      rabbitmq_password: null,
      created_by: 'admin',
      tenant_name: 'default_tenant',
      visibility: 'tenant',
      updated_at: null,
      ...body,
    },
  })
  expect((await put('a1', { state: 'failed' })).body).toEqual(made.body)
  expect((await manager.inject('GET', '/agents')).body.items[0]).toMatchObject({ rabbitmq_username: null })
  expect((await manager.inject('GET', '/agents?_get_data=true')).body.items[0]).toMatchObject({
    rabbitmq_username: 'rabbitmq_user_a1',
  })
  const patched = await manager.inject('PATCH', '/agents/a1', {
    body: { state: 'stopped', version: '7.2.0' },
  })
  expect(patched.body).toMatchObject({ state: 'stopped', version: '7.2.0', updated_at: expect.any(String) })
  expect((await manager.inject('GET', '/agents/a1')).body).toEqual(patched.body)
})

test('a password is sealed at rest, and shown to whoever asks for this agent', async () => {
  await put('sealed', { rabbitmq_username: 'rabbit', rabbitmq_password: 'hush' })
  const row = await manager.db.selectFrom('agents').selectAll().where('id', '=', 'sealed').executeTakeFirst()
  expect(JSON.stringify(row)).not.toContain('hush')
  expect((await manager.inject('GET', '/agents/sealed')).body.rabbitmq_password).toBe('hush')
  const { items } = (await manager.inject('GET', '/agents?_search=sealed')).body
  expect(items).toMatchObject([{ rabbitmq_username: null, rabbitmq_password: null }])
  const included = await manager.inject(
    'GET',
    '/agents?_search=sealed&_get_data=true&_include=rabbitmq_password',
  )
  expect(included.body.items).toEqual([{ rabbitmq_password: 'hush' }])
})

test('agents are found by deployment, node, instance, method, state and name', async () => {
  await put('b1', { node_instance_id: 'vm_2', install_method: 'plugin' })
  await put('b2', { node_instance_id: 'db_1', state: 'created', install_method: 'init_script' })
  expect(await ids('deployment_id=d&_search=b')).toEqual(['b1', 'b2'])
  expect(await ids('node_ids=db&node_ids=none')).toEqual(['b2'])
  expect(await ids('node_instance_ids=vm_2&node_instance_ids=db_1')).toEqual(['b1', 'b2'])
  expect(await ids('install_methods=plugin&install_methods=init_script')).toEqual(['b1', 'b2'])
  expect(await ids('state=created')).toEqual(['b2'])
  expect(await ids('node=db')).toEqual(['b2'])
  expect((await manager.inject('GET', '/agents?colour=red')).status).toBe(400)
  await manager.inject('PUT', '/agents/far', {
    tenant: 'other',
    body: { ...agent, node_instance_id: 'far_1' },
  })
  expect(await ids('_search=far')).toEqual([])
  expect(await ids('_search=far&_all_tenants=true', { user: 'vera' })).toEqual(['far'])
})

test.each<[string, string, object, number, string]>([
  ['an unknown state', 'x', { state: 'sleepy' }, 400, 'Invalid agent state: `sleepy`.'],
  ['an unknown method', 'x', { install_method: 'magic' }, 400, 'Invalid agent install method: `magic`.'],
  ['no instance of the tenant', 'x', { node_instance_id: 'far_1' }, 404, 'NodeInstance'],
  ['a bad name', '1x', {}, 400, 'must begin with a letter'],
  ['no state', 'x', { state: undefined }, 400, 'Missing state'],
  ['no user flag', 'x', { create_rabbitmq_user: undefined }, 400, 'Missing create_rabbitmq_user'],
  ['an unknown owner', 'x', { created_by: 'nobody' }, 400, 'User nobody does not exist.'],
  ['a bad visibility', 'x', { visibility: 'loud' }, 400, 'Invalid visibility'],
])('an agent with %s is refused', async (_what, name, body, status, message) => {
  const answer = await put(name, body)
  expect(answer.status).toBe(status)
  expect(answer.body.message).toContain(message)
})

test('viewers see agents and change none; owners and times are for system administrators', async () => {
  expect((await put('c1', {}, { user: 'vera' })).status).toBe(403)
  expect((await manager.inject('GET', '/agents/a1', { user: 'vera' })).status).toBe(200)
  expect(
    (await manager.inject('PATCH', '/agents/a1', { user: 'vera', body: { state: 'started' } })).status,
  ).toBe(403)
  expect((await put('c1', { created_by: 'vera' }, { user: 'uma' })).status).toBe(403)
  expect((await put('c1', { created_at: '2020-01-01' }, { user: 'uma' })).status).toBe(403)
  expect((await put('c1', { visibility: 'global' }, { user: 'uma' })).status).toBe(403)
  expect((await put('c1', { created_by: 'uma', created_at: '2020-01-01T00:00:00Z' })).body).toMatchObject({
    created_by: 'uma',
    created_at: '2020-01-01T00:00:00.000Z',
  })
  await put('mine', { visibility: 'private' }, { user: 'uma' })
  expect((await manager.inject('GET', '/agents/mine', { user: 'vera' })).status).toBe(404)
  expect((await manager.inject('PATCH', '/agents/nope', { body: { state: 'started' } })).status).toBe(404)
  expect((await manager.inject('PATCH', '/agents/a1', { body: {} })).status).toBe(400)
})

test('of requests at once one records the agent, and it goes with its instance', async () => {
  const answers = await Promise.all(
    ['started', 'created', 'stopped'].map((state) => put('raced', { node_instance_id: 'vm_3', state })),
  )
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.state}`)).size).toBe(1)
  await manager.db.deleteFrom('node_instances').where('id', '=', 'vm_3').execute()
  expect((await manager.inject('GET', '/agents/raced')).status).toBe(404)
})
