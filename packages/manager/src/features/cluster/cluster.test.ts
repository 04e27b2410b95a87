import { createServer } from 'node:net'
import { tuttiVersion } from '@tutti/domain'
import { registerManager } from '@tutti/domain/cluster'
import { type ProcessRole, startHeartbeat } from '@tutti/storage'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addUser(manager.db, 'vera', { tenants: { 0: 'viewer' } })
})
afterAll(() => manager.close())
afterEach(async () => {
  while (running.length > 0) await running.pop()?.stop()
  for (const table of ['managers', 'processes', 'brokers'] as const)
    await manager.db.deleteFrom(table).execute()
})

const running: { stop(): Promise<void> }[] = []
const fail = (error: unknown) => {
  throw error
}
async function startManager(hostname = 'box', address = '10.0.0.5') {
  const started = await registerManager(
    manager.db,
    { hostname, privateIp: address, publicIp: '203.0.113.5' },
    fail,
  )
  running.push(started)
}
async function startWorker(hostname: string, id = hostname) {
  const roles: readonly ProcessRole[] = ['worker', 'scheduler']
  const identity = { id, hostname, address: '10.0.0.9', roles, version: tuttiVersion }
  running.push(await startHeartbeat(manager.db, identity, { onError: fail }))
}
/** As if the machine had lost its power a minute ago. */
async function killed(hostname: string) {
  const last_seen = new Date(Date.now() - 60_000)
  await manager.db.updateTable('processes').set({ last_seen }).where('hostname', '=', hostname).execute()
  await manager.db.updateTable('managers').set({ last_seen }).where('hostname', '=', hostname).execute()
}
const get = (path: string, request = {}) => manager.inject('GET', path, request)
const status = async () => (await get('/cluster-status')).body

test('is well while its database, queue and a worker answer', async () => {
  await startWorker('box')
  const { body } = await get('/status', { tenant: null })
  expect(body).toMatchObject({
    status: 'OK',
    services: {
      Webserver: { status: 'Active' },
      PostgreSQL: { status: 'Active', is_remote: false, extra_info: { connection_check: 'OK' } },
      'Management Worker': { status: 'Active', extra_info: { live_workers: 1 } },
      'Cloudify Execution Scheduler': { status: 'Active' },
      'Execution Queue': { status: 'Active', extra_info: { waiting_jobs: 0 } },
    },
  })
  expect((await get('/status?summary=True')).body).toEqual({ status: 'OK', services: {} })
  expect(await get('/ok', { user: null })).toMatchObject({ status: 200, body: 'OK' })
})

test('says of itself only what is asked for', async () => {
  expect(Object.keys((await get('/status?_include=status')).body)).toEqual(['status'])
  expect((await get('/status?_include=nope')).body.error_code).toBe('no_such_include_field_error')
})

test('says that it fails when no worker lives', async () => {
  await startWorker('box')
  await killed('box')
  const { status, body } = await get('/status')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    status: 'Fail',
    services: { Webserver: { status: 'Active' }, 'Management Worker': { status: 'Inactive' } },
  })
  expect(body.services['Management Worker'].extra_info.connection_check).toContain('No worker')
  expect(await get('/ok', { user: null })).toMatchObject({ status: 500, body: 'FAIL' })
})

test('an all-in-one manager is one manager, broker and database node at one address', async () => {
  await startManager()
  const managers = await get('/managers', { tenant: 'default_tenant' })
  expect(managers.body).toMatchObject({
    items: [
      {
        hostname: 'box',
        private_ip: '10.0.0.5',
        public_ip: '203.0.113.5',
        edition: 'premium',
        version: '7.1.0',
        distribution: 'tutti',
        distro_release: tuttiVersion,
        networks: { default: '10.0.0.5' },
        last_seen: expect.stringMatching(/Z$/),
        status_report_frequency: 5,
      },
    ],
    metadata: { pagination: { total: 1, offset: 0, size: 1000 }, filtered: null },
  })
  expect((await get('/brokers')).body.items).toMatchObject([
    { name: 'box', host: '10.0.0.5', port: 5671, username: null, networks: { default: '10.0.0.5' } },
  ])
  expect((await get('/db-nodes')).body.items).toEqual([{ name: 'box', host: '10.0.0.5', is_external: false }])
  expect((await get('/managers?hostname=other')).body.items).toEqual([])
  expect((await get('/managers?hostname=box&_include=hostname')).body.items).toEqual([{ hostname: 'box' }])
  await running.pop()?.stop()
  expect((await get('/managers')).body.items).toEqual([])
})

test('a manager can be added by hand, changed and taken out; then it is in again when it starts', async () => {
  const body = {
    hostname: 'second',
    private_ip: '10.0.0.6',
    public_ip: '203.0.113.6',
    version: '7.1.0',
    edition: 'premium',
    distribution: 'tutti',
    distro_release: '1',
  }
  const added = await manager.inject('POST', '/managers', { body })
  expect(added).toMatchObject({
    status: 200,
    body: { ...body, networks: { default: '10.0.0.6' }, last_seen: null, ca_cert_content: null },
  })
  expect(await manager.inject('POST', '/managers', { body })).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error' },
  })
  const put = { body: { fs_sync_node_id: 'abc', bootstrap_cluster: false } }
  expect((await manager.inject('PUT', '/managers/second', put)).body).toMatchObject({
    fs_sync_node_id: 'abc',
  })
  expect((await get('/managers/second')).body).toMatchObject({ id: added.body.id, fs_sync_node_id: 'abc' })
  await startManager('second', '10.0.0.7')
  expect((await get('/managers/second')).body).toMatchObject({ id: added.body.id, private_ip: '10.0.0.7' })
  expect(await manager.inject('DELETE', '/managers/second')).toMatchObject({ status: 204 })
  expect(await manager.inject('DELETE', '/managers/second')).toMatchObject({ status: 404 })
  expect(await manager.inject('PUT', '/managers/second', put)).toMatchObject({ status: 404 })
  expect(await get('/managers/second')).toMatchObject({
    status: 404,
    body: { error_code: 'not_found_error' },
  })
})

test.each([
  ['POST', '/managers', { hostname: 'x' }],
  ['PUT', '/managers/x', { fs_sync_node_id: 'a' }],
  ['DELETE', '/managers/x', undefined],
  ['POST', '/brokers', { name: 'b', address: 'a' }],
  ['PUT', '/brokers/x', { networks: {} }],
  ['DELETE', '/brokers/x', undefined],
  ['POST', '/db-nodes', { action: 'update' }],
  ['PUT', '/cluster', {}],
] as const)('%s %s is for system administrators', async (method, path, body) => {
  expect(await manager.inject(method, path, { user: 'vera', body })).toMatchObject({
    status: 403,
    body: { error_code: 'forbidden_error' },
  })
})

test('brokers are added beside the one of the manager', async () => {
  await startManager()
  const body = { name: 'b2', address: '10.0.0.8' }
  expect((await manager.inject('POST', '/brokers', { body })).body).toMatchObject({
    name: 'b2',
    host: '10.0.0.8',
    port: 5671,
    networks: { default: '10.0.0.8' },
  })
  expect((await manager.inject('POST', '/brokers', { body })).status).toBe(409)
  expect((await manager.inject('POST', '/brokers', { body: { ...body, name: 'box' } })).status).toBe(409)
  expect((await manager.inject('POST', '/brokers', { body: { ...body, name: 'b3', port: 0 } })).status).toBe(
    400,
  )
  const networks = { default: '10.0.0.8', lab: '192.0.2.1' }
  for (const name of ['box', 'b2']) {
    const answer = await manager.inject('PUT', `/brokers/${name}`, { body: { networks } })
    expect(answer).toMatchObject({ status: 200, body: { name, networks } })
  }
  expect((await get('/brokers')).body.items).toMatchObject([
    { name: 'box', host: '10.0.0.5', networks },
    { name: 'b2', host: '10.0.0.8', networks },
  ])
  expect((await manager.inject('PUT', '/brokers/nope', { body: { networks } })).status).toBe(404)
  expect((await manager.inject('DELETE', '/brokers/box')).body.error_code).toBe('illegal_action_error')
  expect((await manager.inject('DELETE', '/brokers/b2')).status).toBe(204)
  expect((await manager.inject('DELETE', '/brokers/b2')).status).toBe(404)
})

test('brokers and nodes are listed like everything else', async () => {
  await startManager('one')
  for (const name of ['b1', 'b2']) {
    const body = { name, address: `10.0.0.${name.slice(1)}`, port: name === 'b1' ? 1 : 2 }
    expect((await manager.inject('POST', '/brokers?_include=name', { body })).body).toEqual({ name })
  }
  const names = async (path: string) => {
    const { body } = await get(path)
    return [body.metadata.pagination.total, ...body.items.map((item: { name: string }) => item.name)]
  }
  expect(await names('/brokers')).toEqual([3, 'one', 'b1', 'b2'])
  expect(await names('/brokers?_sort=-name&_size=1&_offset=1')).toEqual([3, 'b2'])
  expect(await names('/brokers?_search=B&_sort=-port')).toEqual([2, 'b2', 'b1'])
  expect(await names('/brokers?port=2&port=1&is_external=False')).toEqual([2, 'b1', 'b2'])
  expect((await get('/brokers?name=b1&_include=host,networks')).body.items).toEqual([
    { host: '10.0.0.1', networks: { default: '10.0.0.1' } },
  ])
  expect((await get('/brokers?nope=1')).status).toBe(400)
  expect(await names('/db-nodes?_size=0')).toEqual([1])
  expect(await names('/cluster/nodes?online=true')).toEqual([1, 'one'])
  expect((await get('/cluster/nodes/one?_include=name')).body).toEqual({ name: 'one' })
})

test('database nodes are looked at when asked for', async () => {
  await startManager()
  const node = { name: 'box', host: '10.0.0.5', is_external: false }
  expect(await manager.inject('POST', '/db-nodes', { body: { action: 'update' } })).toMatchObject({
    status: 200,
    body: { items: [node] },
  })
  expect((await manager.inject('POST', '/db-nodes', { body: { action: 'drop' } })).status).toBe(400)
})

test('the cluster is well, degraded with a dead machine, and fails without any worker', async () => {
  await startManager('one')
  await startManager('two')
  await startWorker('one')
  const well = await status()
  expect(well).toMatchObject({
    status: 'OK',
    services: {
      manager: {
        status: 'OK',
        is_external: false,
        nodes: {
          one: {
            status: 'OK',
            version: '7.1.0',
            private_ip: '10.0.0.5',
            public_ip: '203.0.113.5',
            failures: [],
            metrics: [{ healthy: true, metric_type: 'manager', metric_name: 'heartbeat' }],
          },
          two: { status: 'OK' },
        },
      },
      broker: { status: 'OK', nodes: { one: { services: { 'Execution Queue': { status: 'Active' } } } } },
      db: { status: 'OK', nodes: { one: { status: 'OK' } } },
    },
  })
  expect(well.services.manager.nodes.one.services.Webserver).toMatchObject({
    status: 'Active',
    extra_info: { systemd: { display_name: 'Webserver', instances: [{ state: 'running' }] } },
  })
  await killed('two')
  expect(await status()).toMatchObject({
    status: 'Degraded',
    services: {
      manager: {
        status: 'Degraded',
        nodes: {
          two: { status: 'Fail', failures: expect.arrayContaining(['Service Manager REST not active.']) },
        },
      },
    },
  })
  expect((await get('/cluster-status?summary=true')).body).toEqual({ status: 'Degraded', services: {} })
  await manager.inject('DELETE', '/managers/two')
  await killed('one')
  expect(await get('/cluster-status')).toMatchObject({ status: 200, body: { status: 'Fail' } })
  expect(await get('/cluster-status?summary=true')).toMatchObject({
    status: 500,
    body: { status: 'Fail', services: {} },
  })
})

test('a machine with workers only is a node too, until another start takes the place of a dead one', async () => {
  await startManager('one')
  await startWorker('one')
  await startWorker('far', 'far/1')
  expect((await status()).services.manager.nodes.far).toMatchObject({ status: 'OK', private_ip: '10.0.0.9' })
  await killed('far')
  expect(await status()).toMatchObject({
    status: 'Degraded',
    services: {
      manager: {
        nodes: { far: { failures: expect.arrayContaining(['Service Management Worker not active.']) } },
      },
    },
  })
  await startWorker('far', 'far/2')
  expect((await status()).services.manager.nodes.far.status).toBe('OK')
})

test('an added broker is well while it takes connections', async () => {
  await startManager()
  await startWorker('box')
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await manager.inject('POST', '/brokers', { body: { name: 'b2', address: '127.0.0.1', port } })
  expect((await status()).services.broker.nodes.b2.status).toBe('OK')
  await new Promise((resolve) => server.close(resolve))
  const body = await status()
  expect(body).toMatchObject({ status: 'Fail', services: { broker: { status: 'Fail' } } })
  expect(body.services.broker.nodes.b2.failures).toContain('Service RabbitMQ Broker not active.')
})

test('a cluster of API v3 is what uses one database', async () => {
  await startManager('one')
  expect((await get('/cluster')).body).toEqual({ initialized: false })
  await startManager('two', '10.0.0.6')
  expect((await get('/cluster')).body).toEqual({ initialized: true, consul: { leader: '10.0.0.5' } })
  expect((await get('/cluster?_include=error,logs')).body).toEqual({ error: null, logs: [] })
  expect((await get('/cluster?_include=nope')).body.error_code).toBe('no_such_include_field_error')
  const node = {
    master: true,
    name: 'two',
    host_ip: '10.0.0.6',
    online: true,
    initialized: true,
    credentials: {},
  }
  expect((await get('/cluster/nodes')).body.items).toMatchObject([{ name: 'one' }, node])
  expect((await get('/cluster/nodes/two')).body).toEqual(node)
  expect(await manager.inject('PUT', '/cluster', { body: { host_ip: '10.0.0.7' } })).toMatchObject({
    status: 400,
    body: { error_code: 'illegal_action_error' },
  })
  expect((await manager.inject('PUT', '/cluster/nodes/x')).status).toBe(400)
  expect(await manager.inject('DELETE', '/cluster/nodes/two')).toMatchObject({ status: 200, body: node })
  expect((await manager.inject('DELETE', '/cluster/nodes/two')).status).toBe(404)
})
