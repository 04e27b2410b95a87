import { builtRoutes } from '@tutti/api'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive } from '../../../test/archives.ts'
import { addDeployment, addExecution, addUser } from '../../../test/fixtures.ts'
import { pluginZip } from '../../../test/plugin-archives.ts'
import { png } from '../../../test/png.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let manager: TestSystem
beforeAll(async () => {
  manager = await startTestSystem()
  await addUser(manager.db, 'uma', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'vera', { tenants: { 0: 'viewer' } })
  await addDeployment(manager.db, 'fixture', { nodes: [{ id: 'n', instances: [{ id: 'n_1' }] }] })
  await manager.upload('plain')
})
afterAll(() => manager.close())

const audit = async (query = '') => (await manager.inject('GET', `/audit?${query}`, { tenant: null })).body
// Not over HTTP, which maintenance mode refuses.
const records = () => manager.db.selectFrom('audit_log').selectAll().orderBy('id')
const lastId = async () => (await records().execute()).at(-1)?.id ?? 0
// biome-ignore lint/suspicious/noExplicitAny: tests look into rows whose shape is what they test
const since = async (id: number): Promise<any[]> => records().where('id', '>', id).execute()

test('every change leaves its record: who, what, when and from where', async () => {
  const before = await lastId()
  await manager.inject('PATCH', '/deployments/fixture', { user: 'uma', body: { labels: [{ env: 'test' }] } })
  expect(
    (await audit('order_by=id&size=0')).items.filter(({ id }: { id: number }) => id > before),
  ).toContainEqual({
    id: expect.any(Number),
    ref_table: 'deployment_labels',
    ref_identifier: { tenant: 'default_tenant', deployment_id: 'fixture', key: 'env', value: 'test' },
    operation: 'create',
    creator_name: 'uma',
    remote_address: '127.0.0.1',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+$/),
  })
})

test('what a token of an execution changes names the execution', async () => {
  const { id, token } = await addExecution(manager.db, { deploymentId: 'fixture', createdBy: 'uma' })
  const body = { version: 1, runtime_properties: { a: 1 } }
  const answer = await manager.inject('PATCH', '/node-instances/n_1', { executionToken: token, body })
  expect(answer.status).toBe(200)
  expect((await audit(`execution_id=${id}`)).items).toMatchObject([
    { ref_table: 'node_instances', operation: 'update', creator_name: 'uma', ref_identifier: { id: 'n_1' } },
  ])
})

test('what is refused or rolled back leaves none, and nothing of one request is said of the next', async () => {
  const before = await lastId()
  expect(
    (await manager.inject('PUT', '/deployments/fixture', { body: { blueprint_id: 'plain' } })).status,
  ).toBe(409)
  expect((await manager.inject('DELETE', '/blueprints/plain', { user: 'vera' })).status).toBe(403)
  expect(await since(before)).toEqual([])
  await Promise.all(
    ['admin', 'uma', 'admin', 'uma', 'admin', 'uma'].map((user, index) =>
      manager.inject('PATCH', '/deployments/fixture', {
        user,
        body: { labels: [{ env: `${user}-${index}` }] },
      }),
    ),
  )
  for (const { creator_name, operation, ref_table, ref_identifier } of await since(before)) {
    if (ref_table === 'deployment_labels' && operation === 'create') {
      expect(ref_identifier.value).toMatch(new RegExp(`^${creator_name}-`))
    }
  }
  // Outside of requests nobody is named but the row's own creator.
  await manager.db.deleteFrom('deployment_labels').where('deployment_id', '=', 'fixture').execute()
  expect((await audit('order_by=id&desc=true&size=1')).items[0]).not.toHaveProperty('remote_address')
})

test('no secret is in a record', async () => {
  const before = await lastId()
  await manager.inject('POST', '/users/uma', { user: 'uma', body: { password: 'uma-password' } })
  const token = (await manager.inject('POST', '/tokens', { user: 'uma', body: {} })).body.value
  const text = JSON.stringify(await since(before))
  expect(text).toContain('"ref_table":"users"')
  expect(text).toContain('"ref_table":"tokens"')
  expect(text).not.toContain(token.split('-')[2])
  expect(text).not.toContain('uma-password')
})

test('logging in, heartbeats, leases and counters are no changes', async () => {
  const before = await lastId()
  await manager.inject('GET', '/deployments', { user: 'uma' })
  await manager.app.inject({
    url: '/api/v3.1/version',
    headers: { authorization: `Basic ${Buffer.from('uma:wrong').toString('base64')}` },
  })
  await sql`update executions set lease_fence = lease_fence + 1, finished_operations = 1, status = 'failed'`.execute(
    manager.db,
  )
  await sql`update managers set last_seen = now()`.execute(manager.db)
  expect(await since(before)).toEqual([])
})

test('is listed by who, by execution and by time, in the order and pages asked for', async () => {
  const all = await audit('size=0')
  expect(all.metadata).toEqual({
    pagination: { total: all.items.length, offset: 0, size: 0 },
    filtered: null,
  })
  expect((await audit()).metadata.pagination.size).toBe(100)
  const umas = await audit('creator_name=uma&order_by=created_at&desc=true&size=2&offset=1')
  expect(umas.items).toHaveLength(2)
  expect(umas.items[0].created_at >= umas.items[1].created_at).toBe(true)
  expect(umas.items.every((one: { creator_name: string }) => one.creator_name === 'uma')).toBe(true)
  const middle = all.items[2].created_at
  const later = (await audit(`since=${middle}Z&size=0`)).items
  const earlier = (await audit(`before=${middle}Z&size=0`)).items
  expect(later.length + earlier.length).toBe(all.items.length)
})

test.each([
  ['GET', '/audit?since=2026-01-01&before=2026-01-02', undefined, 400, 'not both'],
  ['GET', '/audit?order_by=password', undefined, 400, 'Invalid order_by'],
  ['GET', '/audit?since=yesterday', undefined, 400, 'yesterday'],
  ['GET', '/audit?size=-1', undefined, 400, 'size'],
  ['DELETE', '/audit', undefined, 422, 'before'],
  ['DELETE', '/audit?before=soon', undefined, 400, 'soon'],
  ['POST', '/audit', {}, 400, 'list'],
  ['POST', '/audit', [1], 400, 'Audit record 0'],
  ['POST', '/audit', [{ ref_table: 'x', operation: 'eat' }], 400, 'operation'],
  ['POST', '/audit', [{ ref_table: 'x', operation: 'create', ref_id: 1e12 }], 400, 'ref_id'],
  ['POST', '/audit', [{ ref_table: 'x', operation: 'create', creator_name: 1 }], 400, 'creator_name'],
] as const)('%s %s with %j is refused', async (method, path, body, status, message) => {
  const answer = await manager.inject(method, path, { body })
  expect(answer.status).toBe(status)
  expect(answer.body.message).toContain(message)
  if (status === 422) expect(answer.body.detail).toBeTruthy()
})

test('only system administrators may see or change it', async () => {
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    expect(
      await manager.inject(method, '/audit', { user: 'uma', body: method === 'POST' ? [] : undefined }),
    ).toMatchObject({ status: 403 })
  }
  expect((await manager.inject('GET', '/audit/stream', { user: 'uma' })).status).toBe(403)
})

test('records of another manager are taken over, and old ones deleted, which is recorded too', async () => {
  const record = {
    ref_table: 'secrets',
    ref_id: 7,
    ref_identifier: { key: 'k' },
    operation: 'create',
    creator_name: 'gone',
    created_at: '2020-01-01T00:00:00.000',
  }
  expect(
    (await manager.inject('POST', '/audit', { body: [record, { ...record, creator_name: 'other' }] })).status,
  ).toBe(204)
  expect((await audit('creator_name=gone')).items).toMatchObject([record])
  const answer = await manager.inject('DELETE', '/audit?before=2021-01-01&creator_name=gone')
  expect(answer).toMatchObject({ status: 200, body: { deleted: 1 } })
  expect((await audit('creator_name=other')).items).toHaveLength(1)
  expect((await audit('order_by=id&desc=true&size=1')).items[0]).toMatchObject({
    ref_table: 'audit_log',
    operation: 'delete',
    creator_name: 'admin',
  })
})

test('the stream has every record once, also of transactions that commit late', async () => {
  const stream = await fetch(`${manager.url}/api/v3.1/audit/stream?creator_name=streamed`, {
    headers: { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` },
  })
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  const inject = (name: string) =>
    manager.inject('POST', '/audit', {
      body: [{ ref_table: name, operation: 'create', creator_name: 'streamed' }],
    })
  const late = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const transaction = manager.db.transaction().execute(async (db) => {
    await sql`insert into audit_log (ref_table, operation, creator_name) values ('late', 'create', 'streamed')`.execute(
      db,
    )
    started.resolve()
    await late.promise
  })
  await started.promise
  await inject('early')
  late.resolve()
  await transaction
  await inject('last')
  let text = ''
  while (!text.includes('"last"')) text += (await reader?.read())?.value ?? ''
  const seen = text.split('\n\n').filter((one) => one !== '')
  expect(seen.map((one) => JSON.parse(one).ref_table).sort()).toEqual(['early', 'last', 'late'])
  await reader?.cancel()
})

/** Why a request that may write leaves no record. */
const unrecorded: Readonly<Record<string, string>> = {
  'functions.evaluate': 'changes nothing',
  'dbNodes.update': 'changes nothing: the nodes are looked at',
  'agents.replaceCertificates': 'changes nothing: refused where there is anything to change',
  'cluster.join': 'always refused',
  'cluster.configure': 'always refused',
  'clusterNodes.add': 'always refused',
  'license.register': 'always refused',
  'contacts.create': 'always refused',
  'audit.inject': 'writes the log itself',
  'tasksGraphs.update': 'changes nothing',
  'deploymentUpdates.finalize': 'changes nothing',
  'events.create': 'events are a log of their own',
  'operations.act': 'operations and tasks graphs are the log of an execution',
  'operations.create': 'operations and tasks graphs are the log of an execution',
  'operations.update': 'operations and tasks graphs are the log of an execution',
  'operations.delete': 'operations and tasks graphs are the log of an execution',
  'tasksGraphs.create': 'operations and tasks graphs are the log of an execution',
  ...Object.fromEntries(
    Object.keys(builtRoutes)
      .filter((name) => name.startsWith('searches.'))
      .map((name) => [name, 'changes nothing']),
  ),
}

type Step = readonly [name: string, path: string, table: string, body?: unknown, executionToken?: string]

test('every request that may write leaves a record, or is on the list above', async () => {
  const { id: execution } = await addExecution(manager.db, { deploymentId: 'fixture' })
  const { token: updating } = await addExecution(manager.db, { workflowId: 'update' })
  const license = `license: {customer_id: A, trial: true}\nsignature: !!binary ${Buffer.alloc(256).toString('base64')}`
  const newManager = {
    hostname: 'm2',
    private_ip: '10.0.0.1',
    public_ip: '10.0.0.1',
    version: '7',
    edition: 'e',
    distribution: 'd',
    distro_release: 'r',
  }
  const inTenant = { username: 'walker', tenant_name: 'walked', role: 'user' }
  const groupInTenant = { group_name: 'walkers', tenant_name: 'walked', role: 'user' }
  const inGroup = { username: 'walker', group_name: 'walkers' }
  const links = '/deployments/inter-deployment-dependencies'
  const link = { dependency_creator: 'walk', target_deployment: 'fixture' }
  const all = { inter_deployment_dependencies: [link] }
  let token = ''
  let group = ''
  let modification = ''
  const steps: readonly (Step | (() => Step))[] = [
    ['providerContext.set', '/provider/context', 'provider_context', { name: 'p', context: {} }],
    ['config.set', '/config/monitoring_timeout', 'config', { value: 5 }],
    ['managers.create', '/managers', 'managers', newManager],
    ['managers.update', '/managers/m2', 'managers', { fs_sync_node_id: 'x' }],
    ['managers.delete', '/managers/m2', 'managers'],
    ['managers.create', '/managers', 'managers', newManager],
    ['clusterNodes.delete', '/cluster/nodes/m2', 'managers'],
    ['brokers.create', '/brokers', 'brokers', { name: 'b', address: '10.0.0.1' }],
    ['brokers.update', '/brokers/b', 'brokers', { networks: {} }],
    ['brokers.delete', '/brokers/b', 'brokers'],
    ['license.upload', '/license', 'license', license],
    ['license.delete', '/license', 'license'],
    ['ldap.set', '/ldap', 'ldap', { ldap_server: 'ldap://127.0.0.1', ldap_domain: 'example.org' }],
    ['ldap.remove', '/ldap', 'ldap'],
    ['tokens.create', '/tokens', 'tokens', {}],
    () => ['tokens.delete', `/tokens/${token}`, 'tokens'],
    ['tenants.create', '/tenants/walked', 'tenants', {}],
    ['users.create', '/users', 'users', { username: 'walker', password: 'walker-password' }],
    ['users.update', '/users/walker', 'users', { role: 'default', show_getting_started: false }],
    ['users.setActive', '/users/active/walker', 'users', { action: 'deactivate' }],
    ['userGroups.create', '/user-groups', 'user_groups', { group_name: 'walkers' }],
    ['userGroups.update', '/user-groups/walkers', 'user_groups', { role: 'sys_admin' }],
    ['userGroups.addUser', '/user-groups/users', 'user_group_members', inGroup],
    ['tenantUsers.add', '/tenants/users', 'user_tenants', inTenant],
    ['tenantUsers.update', '/tenants/users', 'user_tenants', { ...inTenant, role: 'viewer' }],
    ['tenantUsers.remove', '/tenants/users', 'user_tenants', inTenant],
    ['tenantGroups.add', '/tenants/user-groups', 'tenant_groups', groupInTenant],
    ['tenantGroups.update', '/tenants/user-groups', 'tenant_groups', { ...groupInTenant, role: 'viewer' }],
    ['tenantGroups.remove', '/tenants/user-groups', 'tenant_groups', groupInTenant],
    ['userGroups.removeUser', '/user-groups/users', 'user_group_members', inGroup],
    ['userGroups.delete', '/user-groups/walkers', 'user_groups'],
    ['users.delete', '/users/walker', 'users'],
    ['tenants.delete', '/tenants/walked', 'tenants'],
    ['permissions.grant', '/permissions/viewer/made_up', 'role_permissions'],
    ['permissions.revoke', '/permissions/viewer/made_up', 'role_permissions'],
    ['blueprints.upload', '/blueprints/walked', 'blueprints', blueprintArchive()],
    ['blueprints.validate', '/blueprints/valid', 'blueprints', blueprintArchive()],
    ['blueprints.setIcon', '/blueprints/walked/icon', 'blueprints', png()],
    ['blueprints.update', '/blueprints/walked', 'blueprint_labels', { labels: [{ a: 'b' }] }],
    ['blueprints.setVisibility', '/blueprints/walked/set-visibility', 'blueprints', { visibility: 'global' }],
    ['blueprints.delete', '/blueprints/walked', 'blueprints'],
    ['blueprints.setGlobal', '/blueprints/plain/set-global', 'blueprints'],
    ['plugins.upload', '/plugins?id=walked', 'plugins', pluginZip()],
    ['plugins.update', '/plugins/walked', 'plugins', { labels: { a: ['b'] } }],
    ['plugins.install', '/plugins/walked', 'plugin_states', { action: 'install' }],
    ['plugins.setState', '/plugins/walked', 'plugin_states', { state: 'error', manager: 'test' }],
    ['plugins.setVisibility', '/plugins/walked/set-visibility', 'plugins', { visibility: 'global' }],
    ['plugins.delete', '/plugins/walked', 'plugins', { force: true }],
    ['plugins.upload', '/plugins?id=walked', 'plugins', pluginZip()],
    ['plugins.setGlobal', '/plugins/walked/set-global', 'plugins'],
    ['deployments.create', '/deployments/walked', 'deployments', { blueprint_id: 'plain' }],
    ['deployments.update', '/deployments/walked', 'deployments', { display_name: 'Walked' }],
    [
      'deployments.setVisibility',
      '/deployments/walked/set-visibility',
      'deployments',
      { visibility: 'global' },
    ],
    ['executions.start', '/executions', 'executions', { deployment_id: 'walked', workflow_id: 'install' }],
    [
      'deploymentUpdates.initiate',
      '/deployment-updates/walked/update/initiate',
      'deployment_updates',
      { preview: true },
    ],
    [
      'deploymentUpdates.initiateByPut',
      '/deployment-updates/walked/update/initiate',
      'deployment_updates',
      { preview: true },
    ],
    [
      'deploymentUpdates.put',
      '/deployment-updates/given',
      'deployment_updates',
      { deployment_id: 'fixture', blueprint_id: 'walked' },
      updating,
    ],
    [
      'deploymentUpdates.update',
      '/deployment-updates/given',
      'deployment_updates',
      { state: 'failed' },
      updating,
    ],
    [
      'deploymentModifications.start',
      '/deployment-modifications',
      'deployment_modifications',
      { deployment_id: 'fixture', nodes: { n: { instances: 2 } } },
    ],
    () => [
      'deploymentModifications.rollback',
      `/deployment-modifications/${modification}/rollback`,
      'deployment_modifications',
      {},
    ],
    [
      'deploymentModifications.start',
      '/deployment-modifications',
      'deployment_modifications',
      { deployment_id: 'fixture', nodes: { n: { instances: 2 } } },
    ],
    () => [
      'deploymentModifications.finish',
      `/deployment-modifications/${modification}/finish`,
      'deployment_modifications',
      {},
    ],
    ['dependencies.create', links, 'inter_deployment_dependencies', { ...link, source_deployment: 'walked' }],
    [
      'dependencies.restore',
      links,
      'inter_deployment_dependencies',
      { ...all, source_deployment_id: 'walked' },
    ],
    [
      'dependencies.replace',
      '/deployments/walked/inter-deployment-dependencies',
      'inter_deployment_dependencies',
      all,
    ],
    ['dependencies.delete', links, 'inter_deployment_dependencies', { ...link, source_deployment: 'walked' }],
    ['sites.create', '/sites/walked', 'sites', {}],
    ['deployments.setSite', '/deployments/fixture/set-site', 'deployments', { site_name: 'walked' }],
    ['sites.update', '/sites/walked', 'sites', { location: '1,2' }],
    ['sites.delete', '/sites/walked', 'sites'],
    ['secrets.create', '/secrets/walked', 'secrets', { value: 'hush' }],
    ['secrets.update', '/secrets/walked', 'secrets', { value: 'hush hush' }],
    ['secrets.setVisibility', '/secrets/walked/set-visibility', 'secrets', { visibility: 'tenant' }],
    ['secrets.setGlobal', '/secrets/walked/set-global', 'secrets'],
    ['secrets.delete', '/secrets/walked', 'secrets'],
    [
      'secrets.import',
      '/secrets/share/import',
      'secrets',
      {
        override_collisions: false,
        secrets_list: [
          {
            key: 'imported',
            value: 'hush',
            is_hidden_value: false,
            visibility: 'tenant',
            tenant_name: 'default_tenant',
            encrypted: false,
          },
        ],
      },
    ],
    ['secretsProviders.create', '/secrets-providers', 'secrets_providers', { name: 'walked', type: 'local' }],
    ['secretsProviders.update', '/secrets-providers/walked', 'secrets_providers', { visibility: 'global' }],
    ['secretsProviders.delete', '/secrets-providers/walked', 'secrets_providers'],
    ...(['deployments', 'blueprints'] as const).flatMap((filtered): Step[] => {
      const [path, table] = [`/filters/${filtered}/walked`, `${filtered.slice(0, -1)}_filters`]
      const body = { filter_rules: [{ key: 'a', values: [], operator: 'is_null', type: 'label' }] }
      return [
        [`${filtered}Filters.create`, path, table, body],
        [`${filtered}Filters.update`, path, table, { visibility: 'global' }],
        [`${filtered}Filters.delete`, path, table],
      ]
    }),
    ['nodeInstances.update', '/node-instances/n_1', 'node_instances', { version: 9, state: 'started' }],
    [
      'agents.create',
      '/agents/a',
      'agents',
      { node_instance_id: 'n_1', state: 'started', create_rabbitmq_user: false },
    ],
    ['agents.update', '/agents/a', 'agents', { state: 'stopped' }],
    ['nodes.create', '/nodes', 'nodes', { deployment_id: 'fixture', nodes: [{ id: 'm', type: 't' }] }],
    [
      'nodeInstances.create',
      '/node-instances',
      'node_instances',
      { deployment_id: 'fixture', node_instances: [{ id: 'm_1', node_id: 'm' }] },
    ],
    ['nodeInstances.delete', '/node-instances/m_1', 'node_instances', undefined, updating],
    ['nodes.update', '/nodes/fixture/m', 'nodes', { type: 'u' }, updating],
    ['nodes.delete', '/nodes/fixture/m', 'nodes', undefined, updating],
    [
      'deploymentGroups.put',
      '/deployment-groups/walked',
      'deployment_groups',
      { deployment_ids: ['walked'] },
    ],
    [
      'deploymentGroups.update',
      '/deployment-groups/walked',
      'deployment_group_members',
      { add: { deployment_ids: ['fixture'] } },
    ],
    [
      'executionGroups.start',
      '/execution-groups',
      'execution_groups',
      { deployment_group_id: 'walked', workflow_id: 'uninstall', concurrency: 0 },
    ],
    () => [
      'executionGroups.update',
      `/execution-groups/${group}`,
      'execution_groups',
      { success_group_id: 'walked' },
    ],
    () => ['executionGroups.act', `/execution-groups/${group}`, 'executions', { action: 'cancel' }],
    ['deploymentGroups.delete', '/deployment-groups/walked', 'deployment_groups'],
    ['executions.act', `/executions/${execution}`, 'executions', { action: 'cancel' }],
    ['executions.update', `/executions/${execution}`, 'executions', { status: 'failed' }],
    ['events.delete', '/events?deployment_id=fixture&type=cloudify_event', 'events'],
    ['executions.delete', '/executions?deployment_id=fixture', 'executions', {}],
    ['deployments.delete', '/deployments/walked?force=true', 'executions'],
    ['audit.truncate', '/audit?before=2020-01-01', 'audit_log'],
    ['maintenance.set', '/maintenance/activate', 'maintenance'],
    ['maintenance.set', '/maintenance/deactivate', 'maintenance'],
  ]
  const seen = new Set(Object.keys(unrecorded))
  for (const step of steps) {
    const [name, path, table, body, executionToken] = typeof step === 'function' ? step() : step
    seen.add(name)
    const { method } = builtRoutes[name as keyof typeof builtRoutes]
    const before = await lastId()
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }
    const as = executionToken === undefined ? {} : { executionToken }
    const answer = await manager.send(method, path, { ...sent, ...as })
    expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(300)
    if (name === 'tokens.create') token = answer.body.id
    if (name === 'executionGroups.start') group = answer.body.id
    if (name === 'deploymentModifications.start') modification = answer.body.id
    if (name === 'executions.start') await manager.ended(answer.body.id)
    if (name.startsWith('deploymentUpdates.initiate')) await manager.ended(answer.body.execution_id)
    const left = (await since(before)).filter((one) => one.ref_table === table)
    expect(left, name).not.toEqual([])
    expect(left[0], name).toMatchObject({ creator_name: 'admin', remote_address: '127.0.0.1' })
  }

  // What the worker still does would stand among the records below.
  await manager.deleted('walked')

  // A user is unlocked who was locked before.
  await manager.inject('PUT', '/config/account_lock_period', { body: { value: 60 } })
  const failed = { failed_logins: 9, last_failed_login_at: new Date() }
  await manager.db.updateTable('users').set(failed).where('username', '=', 'vera').execute()
  const before = await lastId()
  expect((await manager.inject('POST', '/users/unlock/vera')).status).toBe(200)
  expect(await since(before)).toMatchObject([
    { ref_table: 'users', operation: 'update', creator_name: 'admin' },
  ])
  seen.add('users.unlock')

  const writing = Object.entries(builtRoutes).filter(([, { method }]) => method !== 'GET')
  expect(writing.map(([name]) => name).filter((name) => !seen.has(name))).toEqual([])
})
