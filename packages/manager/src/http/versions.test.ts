import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { builtRoutes, routesOf } from '@tutti/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../test/archives.ts'
import { addExecution, addTenant, addUser } from '../../test/fixtures.ts'
import { passwordOf, type TestAnswer } from '../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../test/test-system.ts'

/** v2 and v3 beside v3.1 (docs/reference/rest-conventions.md, "Versions" and "Status codes"). */
let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await system.upload('app')
  await system.deploy('running', 'app')
  await addTenant(system.db, 'lab')
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
})
afterAll(() => system.close())

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Options = { readonly body?: object; readonly user?: string; readonly tenant?: string | null }
const v2 = (method: Method, path: string, options: Options = {}): Promise<TestAnswer> =>
  system.inject(method, `/api/v2${path}`, { tenant: null, ...options })
const v3 = (method: Method, path: string, options: Options = {}): Promise<TestAnswer> =>
  system.inject(method, `/api/v3${path}`, options)

const newer = [
  'tenant_name',
  'created_by',
  'private_resource',
  'visibility',
  'resource_availability',
  'scaling_groups',
]
const v2Date = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/

test('v2 knows no tenants and no owners, and writes dates in its own way', async () => {
  for (const path of ['/blueprints/app', '/deployments/running']) {
    const { status, body } = await v2('GET', path)
    expect(status, path).toBe(200)
    for (const name of newer) expect(body, path).not.toHaveProperty(name)
    expect(body.created_at, path).toMatch(v2Date)
  }
  for (const path of [
    '/blueprints',
    '/deployments',
    '/executions',
    '/nodes',
    '/node_instances',
    '/node-instances',
  ]) {
    const { items, metadata } = (await v2('GET', path)).body
    expect(items.length, path).toBeGreaterThan(0)
    for (const name of newer) expect(items[0], path).not.toHaveProperty(name)
    expect(metadata.pagination).toMatchObject({ offset: 0 })
  }
  expect((await v2('GET', '/blueprints?_include=id,tenant_name')).body.error_code).toBe(
    'no_such_include_field_error',
  )
  expect((await v2('GET', '/blueprints?_include=id,created_at')).body.items).toEqual([
    { id: 'app', created_at: expect.stringMatching(v2Date) },
  ])
  const [instance] = (await v2('GET', '/node_instances')).body.items
  expect((await v2('GET', `/node_instances/${instance.id}`)).body).toMatchObject({ id: instance.id })
  expect(
    (
      await v2('PATCH', `/node_instances/${instance.id}`, {
        body: { version: instance.version, state: 'started' },
      })
    ).body,
  ).toMatchObject({ state: 'started' })
})

test('what came later is not there', async () => {
  for (const path of [
    '/tenants',
    '/users',
    '/user',
    '/secrets',
    '/labels/deployments',
    '/operations',
    '/filters/blueprints',
  ]) {
    expect((await v2('GET', path)).body, path).toMatchObject({ error_code: 'not_found_error' })
  }
  expect((await v2('POST', '/events', { body: { events: [] } })).status).toBe(405)
  expect((await v3('GET', '/labels/deployments')).status).toBe(404)
  expect((await v3('DELETE', '/executions', { body: {} })).status).toBe(405)
  expect((await system.inject('GET', '/api/v4/blueprints')).body.error_code).toBe('not_found_error')
  expect((await system.inject('GET', '/api/v2.1/blueprints', { tenant: null })).status).toBe(200)
  expect((await system.inject('GET', '/api/version', { tenant: null })).body).toHaveProperty('edition')
})

test('v3 asks for a tenant, v2 takes the default one', async () => {
  expect((await v3('GET', '/blueprints', { tenant: null })).body.message).toBe(
    'Authorization failed: tenant not provided',
  )
  expect((await v3('GET', '/blueprints', { tenant: 'lab' })).body.items).toEqual([])
  expect((await v3('GET', '/blueprints')).body.items[0]).toMatchObject({
    id: 'app',
    tenant_name: 'default_tenant',
  })
  await addUser(system.db, 'stranger')
  expect((await v2('GET', '/blueprints', { user: 'stranger' })).status).toBe(403)
})

test('deletions answer what they deleted', async () => {
  for (const [call, id] of [
    [v2, 'gone2'],
    [v3, 'gone3'],
  ] as const) {
    await system.upload(id)
    const created = await call('PUT', `/deployments/${id}`, { body: { blueprint_id: id, inputs: {} } })
    expect(created).toMatchObject({ status: 201, body: { id, blueprint_id: id } })
    const [creation] = (await system.inject('GET', `/executions?deployment_id=${id}`)).body.items
    await system.ended(creation.id)
    const [instance] = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body.items
    await system.inject('PATCH', `/node-instances/${instance.id}`, { body: { version: 1, state: 'started' } })
    expect((await call('DELETE', `/deployments/${id}`)).body.error_code).toBe('dependent_exists_error')
    expect(await call('DELETE', `/deployments/${id}`, { body: { ignore_live_nodes: true } })).toMatchObject({
      status: 200,
      body: { id, blueprint_id: id },
    })
    await expect.poll(async () => (await call('GET', `/deployments/${id}`)).status).toBe(404)
    expect(await call('DELETE', `/blueprints/${id}`)).toMatchObject({ status: 200, body: { id } })
    expect((await call('DELETE', `/blueprints/${id}`)).status).toBe(404)
  }
  expect((await v3('PUT', '/deployments/1st', { body: { blueprint_id: 'app' } })).body.message).toContain(
    'must begin with a letter',
  )
})

test('creations look for no plugins', async () => {
  const plugins = { mine: { executor: 'central_deployment_agent', package_name: 'mine' } }
  const interfaces = { 'cloudify.interfaces.lifecycle': { create: 'mine.tasks.create' } }
  const node_templates = { one: { type: 'cloudify.nodes.Root', interfaces } }
  await system.upload('plugged', blueprintArchive(blueprintText({ plugins, node_templates })))
  const body = { blueprint_id: 'plugged' }
  expect((await v2('PUT', '/deployments/plugged2', { body })).status).toBe(201)
  expect((await v3('PUT', '/deployments/plugged3', { body })).status).toBe(201)
  expect((await system.inject('PUT', '/deployments/plugged31', { body })).body.error_code).toBe(
    'deployment_plugin_not_found',
  )
})

test('tokens are got', async () => {
  const own = await v3('GET', '/tokens', { user: 'alice', tenant: null })
  expect(own).toMatchObject({ status: 200, body: { role: 'user', value: expect.stringMatching(/^ctok-/) } })
  expect((await v3('GET', '/tokens', { tenant: null })).body.role).toBe('admin')
  const { body } = await v2('GET', '/tokens', { user: 'alice' })
  expect(Object.keys(body)).toEqual(['value'])
  expect((await v3('GET', '/tokens?_include=role', { tenant: null })).body).toEqual({ role: 'admin' })
  expect((await v3('GET', '/tokens?_include=id', { tenant: null })).body.error_code).toBe(
    'no_such_include_field_error',
  )
  const { body: self } = await system.inject('GET', '/api/v3/user', { token: body.value, tenant: null })
  expect(self.username).toBe('alice')
})

test('users have the roles of v3, and what is taken away is answered', async () => {
  const body = { username: 'bob', password: passwordOf('bob'), role: 'administrator' }
  expect((await v3('PUT', '/users', { body })).body).toMatchObject({ username: 'bob', role: 'administrator' })
  expect((await v3('POST', '/users/bob', { body: { role: 'user' } })).body.role).toBe('user')
  expect((await v3('POST', '/users/bob', { body: { role: 'suspended' } })).body).toMatchObject({
    role: 'suspended',
    active: false,
  })
  expect((await v3('GET', '/users?username=bob')).body.items).toMatchObject([{ role: 'suspended' }])
  expect(await v3('POST', '/users/admin', { user: 'stranger', body: { role: 'suspended' } })).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('user_set_activated') },
  })
  // Another role ends it, in one request, and `suspended` says it once more without an error.
  expect((await v3('POST', '/users/bob', { body: { role: 'suspended' } })).status).toBe(200)
  expect((await v3('GET', '/users/bob?_include=role')).body).toEqual({ role: 'suspended' })
  expect((await v3('GET', '/users?_include=username,role&username=bob')).body.items).toEqual([
    { username: 'bob', role: 'suspended' },
  ])
  expect((await v3('GET', '/users?_include=nope')).body.error_code).toBe('no_such_include_field_error')
  expect((await v3('POST', '/users/bob', { body: { role: 'administrator' } })).body).toMatchObject({
    role: 'administrator',
    active: true,
  })
  expect((await v3('GET', '/user', { user: 'bob' })).body).toMatchObject({ role: 'administrator' })
  expect(await v3('POST', '/users/bob', { body: { role: 'suspended', password: 'enough' } })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('one of them at a time') },
  })
  await v3('POST', '/users/bob', { body: { role: 'user' } })
  expect(await v3('POST', '/users/admin', { body: { role: 'suspended' } })).toMatchObject({
    status: 400,
    body: { message: 'Cannot deactivate the last active sys_admin' },
  })
  await v3('POST', '/users/bob', { body: { role: 'suspended' } })
  const shut = { username: 'shut', password: passwordOf('shut'), role: 'suspended' }
  expect(await v3('PUT', '/users', { body: shut })).toMatchObject({
    status: 201,
    body: { role: 'suspended', active: false },
  })
  expect((await v3('GET', '/user', { user: 'shut' })).status).toBe(401)
  // Today's API knows no such role, and nothing but its own way to say it.
  expect((await system.inject('GET', '/users/shut')).body).toMatchObject({ role: 'default', active: false })
  for (const [method, path, body] of [
    ['POST', '/users/shut', { role: 'suspended' }],
    ['PUT', '/users', { username: 'other', password: 'enough', role: 'suspended' }],
  ] as const) {
    const answer = await system.inject(method, path, { body })
    expect(answer.body.message, path).toContain('Invalid role: `suspended`')
  }
  expect(
    (await system.inject('POST', '/users/shut', { body: { role: 'default', active: true } })).body,
  ).toMatchObject({ active: false })
  expect((await v3('DELETE', '/users/shut')).body).toMatchObject({ username: 'shut', role: 'suspended' })
  expect((await v3('POST', '/tenants/shop')).status).toBe(201)
  const membership = { username: 'bob', tenant_name: 'shop' }
  expect((await v3('PUT', '/tenants/users', { body: membership })).body).toMatchObject({
    name: 'shop',
    users: 1,
  })
  expect(await v3('DELETE', '/tenants/users', { body: membership })).toMatchObject({
    status: 200,
    body: { name: 'shop', users: 0 },
  })
  await v3('POST', '/user-groups', { body: { group_name: 'ops' } })
  const joined = { username: 'bob', group_name: 'ops' }
  await v3('PUT', '/user-groups/users', { body: joined })
  expect(await v3('DELETE', '/user-groups/users', { body: joined })).toMatchObject({
    status: 200,
    body: { name: 'ops', users: 0 },
  })
  expect(await v3('DELETE', '/user-groups/ops')).toMatchObject({ status: 200, body: { name: 'ops' } })
  expect(await v3('DELETE', '/tenants/shop')).toMatchObject({ status: 200, body: { name: 'shop' } })
  expect(await v3('DELETE', '/users/bob')).toMatchObject({
    status: 200,
    body: { username: 'bob', role: 'suspended' },
  })
})

test('version and status have their old shapes', async () => {
  expect((await v2('GET', '/version')).body).not.toHaveProperty('edition')
  expect((await v3('GET', '/version')).body).toHaveProperty('edition')
  for (const call of [v2, v3]) {
    const { body } = await call('GET', '/status')
    expect(body.status).toBe('running')
    expect(body.services[0]).toMatchObject({
      display_name: expect.any(String),
      instances: [
        { Id: expect.any(String), state: 'up', ActiveState: 'active', MainPID: expect.any(Number) },
      ],
    })
    expect((await call('GET', '/status?_include=status')).body).toEqual({ status: 'running' })
    expect((await call('GET', '/status?_include=nope')).body.error_code).toBe('no_such_include_field_error')
  }
  expect((await v2('GET', '/version?_include=edition')).body.error_code).toBe('no_such_include_field_error')
})

test('events of v2 are nested', async () => {
  const { token, id } = await addExecution(system.db, { deploymentId: 'running' })
  const event = { event_type: 'plugin_event', message: { text: 'hello' }, context: {} }
  const log = { level: 'info', logger: 'ctx', message: { text: 'line' }, context: {} }
  await system.inject('POST', '/events', { executionToken: token, body: { events: [event], logs: [log] } })
  const { body } = await v2(
    'GET',
    `/events?execution_id=${id}&_sort=@timestamp&_range=@timestamp,2020-01-01,`,
  )
  expect(body.items).toMatchObject([
    {
      type: 'svc_event',
      event_type: 'plugin_event',
      '@timestamp': expect.stringMatching(v2Date),
      message: { text: 'hello', arguments: null },
      context: { execution_id: id, deployment_id: 'running' },
      message_code: null,
    },
    { type: 'svc_log', level: 'info', logger: 'ctx', message: { text: 'line' } },
  ])
  expect((await v2('GET', `/events?execution_id=${id}&_include=message`)).body.items[0]).toEqual({
    message: { text: 'hello', arguments: null },
  })
  expect((await v3('GET', `/events?execution_id=${id}`)).body.items[0]).toMatchObject({ message: 'hello' })
})

test('what a client of v2 reads of an event is there, and node_id is an instance', async () => {
  const { items } = (await system.inject('GET', '/node-instances?deployment_id=running')).body
  const { token, id } = await addExecution(system.db, { deploymentId: 'running' })
  const about = { message: { text: 'mine' }, context: { node_id: items[0].id } }
  const events = [
    { ...about, event_type: 'plugin_event' },
    { event_type: 'plugin_event', message: { text: 'x' }, context: {} },
  ]
  const sent = await system.inject('POST', '/events', {
    executionToken: token,
    body: { events, logs: [{ ...about, level: 'info' }] },
  })
  expect(sent.status, sent.text).toBe(201)
  for (const version of ['v2', 'v2.1']) {
    const get = async (path: string) =>
      (await system.inject('GET', `/api/${version}/events?execution_id=${id}${path}`, { tenant: null })).body
        .items
    const found = await get(`&node_id=${items[0].id}`)
    expect(found.map(({ message }: { message: { text: string } }) => message.text)).toEqual(['mine', 'mine'])
    for (const { context } of [...found, ...(await get(''))]) {
      expect(Object.keys(context).sort()).toEqual([
        'blueprint_id',
        'deployment_id',
        'execution_id',
        'node_id',
        'node_name',
        'operation',
        'plugin',
        'task_current_retries',
        'task_id',
        'task_name',
        'task_queue',
        'task_target',
        'task_total_retries',
        'workflow_id',
      ])
    }
    expect(found[0].context).toMatchObject({
      node_id: items[0].id,
      node_name: items[0].node_id,
      task_id: null,
    })
    expect(await get(`&node_id=${items[0].node_id}`)).toEqual([])
  }
  // Later the name of its node.
  const { body } = await v3('GET', `/events?execution_id=${id}&node_id=${items[0].node_id}`)
  expect(body.items).toHaveLength(2)
})

test('scaling groups came with v2.1', async () => {
  for (const path of ['/deployments/running', '/node_instances?_size=1']) {
    const read = async (version: string) => {
      const { body } = await system.inject('GET', `/api/${version}${path}`, { tenant: null })
      return body.items?.[0] ?? body
    }
    expect(await read('v2')).not.toHaveProperty('scaling_groups')
    expect(await read('v2.1')).toHaveProperty('scaling_groups')
    expect(await read('v2.1')).not.toHaveProperty('created_by')
  }
  expect((await v2('GET', '/deployments?_include=scaling_groups')).status).toBe(400)
  expect(
    (await system.inject('GET', '/api/v2.1/deployments?_include=scaling_groups', { tenant: null })).body
      .items[0],
  ).toHaveProperty('scaling_groups')
})

test('a secret of v3 is answered when it is deleted, to whoever may read it', async () => {
  await v3('PUT', '/secrets/gone', { body: { value: 'it' } })
  expect(await v3('DELETE', '/secrets/gone')).toMatchObject({
    status: 200,
    body: { key: 'gone', value: 'it' },
  })
  expect((await v3('GET', '/secrets/gone')).status).toBe(404)
  expect((await v3('DELETE', '/secrets/gone')).status).toBe(404)
  await v3('PUT', '/secrets/hidden', { body: { value: 'it', is_hidden_value: true } })
  await addUser(system.db, 'other', { tenants: { 0: 'user' } })
  const refused = await v3('DELETE', '/secrets/hidden', { user: 'other' })
  expect([refused.status, refused.text.includes('"it"')]).toEqual([403, false])
  await system.inject('PUT', '/permissions/operations/secret_delete', { tenant: null })
  await system.inject('DELETE', '/permissions/operations/secret_get', { tenant: null })
  await addUser(system.db, 'oscar', { tenants: { 0: 'operations' } })
  await v3('PUT', '/secrets/kept', { body: { value: 'it' } })
  expect((await v3('DELETE', '/secrets/kept', { user: 'oscar' })).status).toBe(403)
  expect((await system.inject('DELETE', '/secrets/kept', { user: 'oscar' })).status).toBe(204)
})

test('names of downloads are bare before v3.1', async () => {
  const name = async (version: string) =>
    (await system.inject('GET', `/api/${version}/blueprints/app/archive`)).headers['content-disposition']
  for (const version of ['v2', 'v2.1', 'v3']) {
    expect(await name(version)).toBe('attachment; filename=app.tar.gz')
  }
  expect(await name('v3.1')).toBe('attachment; filename="app.tar.gz"')
})

test('v2 sends the parameters of an upload as JSON', async () => {
  const archive = blueprintArchive(undefined, { 'main.yaml': blueprintText() })
  const server = createServer((_request, response) => response.end(archive))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const body = {
      application_file_name: 'main.yaml',
      blueprint_archive_url: `http://127.0.0.1:${port}/x.tar.gz`,
    }
    expect(await v2('PUT', '/blueprints/from-url', { body })).toMatchObject({
      status: 201,
      body: { id: 'from-url', main_file_name: 'main.yaml' },
    })
  } finally {
    server.close()
  }
  expect((await v2('PUT', '/blueprints/nothing', { body: {} })).body.message).toContain(
    'Missing blueprint archive',
  )
  expect(
    (await system.send('PUT', '/api/v2/blueprints/broken', { body: '{"a":', tenant: null })).body.message,
  ).toContain('not valid JSON')
})

test('no date of v2 is written as later versions write theirs', async () => {
  await system.db
    .updateTable('executions')
    .set({ status: 'terminated' })
    .where('status', '=', 'started')
    .execute()
  await system.inject('POST', '/maintenance/activate', { tenant: null })
  try {
    for (const version of ['v2', 'v2.1']) {
      const { body } = await system.inject('GET', `/api/${version}/maintenance`, { tenant: null })
      expect(body, version).toMatchObject({
        activated_at: expect.stringMatching(v2Date),
        activation_requested_at: expect.stringMatching(v2Date),
      })
    }
  } finally {
    await system.inject('POST', '/maintenance/deactivate', { tenant: null })
  }
  expect((await v2('GET', '/maintenance')).body.activated_at).toBe('')
  for (const version of ['v2', 'v2.1'] as const) {
    const paths = routesOf(version)
      .filter(({ name, route }) => Object.hasOwn(builtRoutes, name) && route.method === 'GET')
      .map(({ route }) => route.path)
      .filter((path) => !/[:*]/.test(path))
    expect(paths).toContain('/executions')
    for (const path of paths) {
      const { text } = await system.inject('GET', `/api/${version}${path}`, { tenant: null })
      expect(text, path).not.toMatch(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/)
    }
  }
  // And as they are read, so they are asked for.
  const { created_at } = (await v2('GET', '/blueprints/app')).body
  const found = await v2('GET', `/blueprints?_include=id&created_at=${encodeURIComponent(created_at)}`)
  expect(found.body.items).toEqual([{ id: 'app' }])
})

test('v3 has what came with its clients', async () => {
  for (const path of ['/ldap', '/secrets/share/export'])
    expect((await v3('GET', path)).status, path).toBe(200)
  expect((await v3('POST', '/ldap', { body: {} })).body.error_code).toBe('bad_parameters_error')
  expect((await v3('POST', '/secrets/share/import', { body: {} })).body.error_code).toBe(
    'bad_parameters_error',
  )
  expect((await v3('GET', '/file-server-auth')).body.message).toContain('X-Original-Uri')
  for (const path of ['/ldap', '/secrets', '/file-server-auth'])
    expect((await v2('GET', path)).status).toBe(404)
})

test('each version has its OpenAPI document', async () => {
  for (const version of ['v2', 'v2.1', 'v3', 'v3.1']) {
    const document = (await system.app.inject(`/openapi/${version}.json`)).json()
    expect(document).toMatchObject({ openapi: '3.1.0', paths: { [`/api/${version}/blueprints`]: {} } })
  }
})
