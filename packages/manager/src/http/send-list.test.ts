import { get, type IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addBlueprint, addDeployment, addTenant } from '../../test/fixtures.ts'
import { headersOf, startTestManager, type TestManager } from '../../test/test-manager.ts'

const deployments = 1_050

let manager: TestManager
let url: string

beforeAll(async () => {
  manager = await startTestManager()
  await addDeployment(manager.db, 'd0000')
  await sql`
    insert into deployments (tenant_id, id, display_name, blueprint_id, blueprint_tenant_id, created_by, description)
    select tenant_id, 'd' || lpad(i::text, 4, '0'), 'd', blueprint_id, blueprint_tenant_id, created_by, repeat('x', 10000)
    from deployments, generate_series(1, ${deployments - 1}) as i`.execute(manager.db)
  for (let index = 0; index < 10; index += 1) await addBlueprint(manager.db, `b${index}`)
  url = await manager.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => manager.close())

const inUse = () => manager.services.database.pool.totalCount - manager.services.database.pool.idleCount
const connections = () => promisify(manager.app.server.getConnections.bind(manager.app.server))()
/** As long as a busy machine may need. */
const patience = { timeout: 20_000 }
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)
const named = (from: number, count: number) =>
  Array.from({ length: count }, (_none, index) => `d${String(from + index).padStart(4, '0')}`)

test.each(['/api/v2', '/api/v3', '/api/v3.1'])('a long list of %s is whole', async (base) => {
  const all = await manager.inject('GET', `${base}/deployments?_get_all_results=true&_sort=id`)
  expect(all.status).toBe(200)
  expect(ids(all.body.items)).toEqual(named(0, deployments))
  expect(all.body.metadata.pagination).toEqual({ total: deployments, offset: 0, size: deployments })
  const page = await manager.inject('GET', `${base}/deployments?_size=300&_offset=700&_sort=id&_include=id`)
  expect(page.body.items).toEqual(named(700, 300).map((id) => ({ id })))
  expect(page.body.metadata.pagination).toEqual({ total: deployments, offset: 700, size: 300 })
  expect(inUse()).toBe(0)
})

test('a page is sent in one piece, with its length, and only what is longer in parts', async () => {
  const page = await manager.inject('GET', '/deployments?_size=300')
  expect(page.headers['content-length']).toBe(String(Buffer.byteLength(page.text)))
  expect((await manager.inject('GET', '/deployments')).headers['content-length']).toBeUndefined()
})

test('what is wrong with a request is said before anything is sent', async () => {
  expect((await manager.inject('GET', '/deployments?_get_all_results=true&_sort=nothing')).status).toBe(400)
  expect((await manager.inject('GET', '/nodes?_evaluate_functions=true&deployment_id=none')).status).toBe(404)
})

test('a list of large rows is read a few at a time', async () => {
  const { body } = await manager.inject('GET', '/blueprints?_size=9&_sort=id')
  expect(ids(body.items)).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8'])
  expect(body.metadata.pagination).toEqual({ total: 11, offset: 0, size: 9 })
})

test('a client that goes away leaves no connection behind', async () => {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/v3.1/deployments?_get_all_results=true`, { headers: headersOf({}) }, resolve).on(
      'error',
      reject,
    )
  })
  expect(answer.statusCode).toBe(200)
  // The client takes nothing: the manager has read no more than fits on the way.
  await vi.waitFor(() => expect(inUse()).toBe(1), patience)
  answer.destroy()
  await vi.waitFor(() => expect(inUse()).toBe(0), patience)
})

test('nor does one that was gone before anything was sent', async () => {
  await manager.db.transaction().execute(async (transaction) => {
    await sql`lock table deployments`.execute(transaction)
    const asked = get(`${url}/api/v3.1/deployments?_get_all_results=true`, { headers: headersOf({}) })
    asked.on('error', () => undefined)
    await vi.waitFor(() => expect(inUse()).toBe(2), patience)
    asked.destroy()
    await vi.waitFor(async () => expect(await connections()).toBe(0), patience)
  })
  // The manager reads what it would send first, and then has nobody to send it to.
  await vi.waitFor(() => expect(inUse()).toBe(0), patience)
})

test('slow readers of one tenant hold up nobody else, and who is gone waits no more', async () => {
  const other = await addTenant(manager.db, 'other')
  await sql`
    insert into blueprints (tenant_id, id, visibility, created_by, state)
    select ${other}, 'own', 'tenant', 'admin', 'uploaded'`.execute(manager.db)
  await sql`
    insert into deployments (tenant_id, id, display_name, blueprint_id, blueprint_tenant_id, created_by)
    select ${other}, 'o' || lpad(i::text, 4, '0'), 'o', 'own', ${other}, 'admin'
    from generate_series(1, 300) as i`.execute(manager.db)
  const { readers } = manager.services
  const slow = Array.from({ length: 8 }, () => {
    const asked = get(`${url}/api/v3.1/deployments?_get_all_results=true`, { headers: headersOf({}) })
    // Nothing of it is ever taken.
    asked.on('response', (answer) => answer.pause()).on('error', () => undefined)
    return asked
  })
  await vi.waitFor(() => expect([readers.held, readers.waiting]).toEqual([3, 5]), { timeout: 20_000 })
  const page = await manager.inject('GET', '/deployments?_size=300&_include=id', { tenant: 'other' })
  expect(page.body.items).toHaveLength(300)
  expect(await manager.services.metrics.metrics()).toContain('tutti_queue_waiting{queue="lists"} 5')
  for (const asked of slow) asked.destroy()
  await vi.waitFor(() => expect([readers.held, readers.waiting, inUse()]).toEqual([0, 0, 0]), {
    timeout: 20_000,
  })
})

test('a long list that a POST asks for is whole', async () => {
  const body = { constraints: {} }
  const found = await manager.inject('POST', '/searches/deployments?_size=300&_sort=id&_include=id', { body })
  expect(found.body.items).toEqual(named(0, 300).map((id) => ({ id })))
  expect(inUse()).toBe(0)
})
