import { builtInMapping } from '@tutti/engine'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDeployment } from '../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager({ trustedProxies: ['127.0.0.1'] })
})
afterAll(() => manager.close())

const authorization = `Basic ${Buffer.from('admin:admin-password').toString('base64')}`
const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: object) =>
  manager.app.inject({
    method,
    url: `/api/v3.1${url}`,
    headers: { authorization, tenant: 'default_tenant', ...headers },
    ...(payload && { payload }),
  })

test.each([
  ['order-17/step.2', true],
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  ['{"level":60}', false],
  ['', false],
])('the id that a client sends is taken where it is fit for a log: %s', async (sent, isTaken) => {
  const { headers } = await ask('GET', '/version', { 'x-request-id': sent })
  expect(headers['x-request-id'] === sent).toBe(isTaken)
  expect(headers['x-request-id']).toMatch(/^.{2,128}$/)
})

test('an execution has the id of the request that started it', async () => {
  await addDeployment(manager.db, 'app', {})
  const workflows = {
    install: { ...builtInMapping('install'), parameters: {}, is_cascading: false, availability_rules: null },
  }
  await sql`update deployments set workflows = ${JSON.stringify(workflows)} where id = 'app'`.execute(
    manager.db,
  )
  const body = { deployment_id: 'app', workflow_id: 'install' }
  const answer = await ask('POST', '/executions', { 'x-request-id': 'order-18' }, body)
  expect(answer.statusCode).toBe(201)
  const { rows } = await sql`select request_id from executions where id = ${answer.json().id}`.execute(
    manager.db,
  )
  expect(rows).toEqual([{ request_id: 'order-18' }])
})

test('where a request comes from is what a trusted proxy says', async () => {
  const put = (address: string, headers: Record<string, string>) =>
    manager.app.inject({
      method: 'PUT',
      url: `/api/v3.1/sites/from-${address.replaceAll('.', '-')}`,
      headers: { authorization, tenant: 'default_tenant', ...headers },
      remoteAddress: address,
      payload: {},
    })
  await put('127.0.0.1', { 'x-forwarded-for': '203.0.113.9' })
  await put('198.51.100.7', { 'x-forwarded-for': '203.0.113.9' })
  const { rows } = await sql<{ address: string }>`
    select remote_address as address from audit_log where ref_table = 'sites' order by id`.execute(manager.db)
  expect(rows.map(({ address }) => address)).toEqual(['203.0.113.9', '198.51.100.7'])
})
