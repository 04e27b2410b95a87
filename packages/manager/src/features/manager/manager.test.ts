import { tuttiVersion } from '@tutti/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addUser } from '../../../test/fixtures.ts'
import { headersOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
})
afterAll(() => manager.close())

test('tells its version with credentials, at the unversioned path too, and no tenant', async () => {
  const expected = { edition: 'premium', version: '7.1.0', build: `tutti-${tuttiVersion}`, date: null }
  expect((await manager.inject('GET', '/version', { tenant: null })).body).toMatchObject(expected)
  expect((await manager.inject('GET', '/api/version', { tenant: null })).body).toMatchObject(expected)
  expect((await manager.inject('GET', '/version?_include=version')).body).toEqual({ version: '7.1.0' })
  expect((await manager.inject('GET', '/version?_include=age')).body.error_code).toBe(
    'no_such_include_field_error',
  )
  expect(await manager.inject('GET', '/version', { user: null })).toMatchObject({
    status: 401,
    body: { message: 'User unauthorized: No authentication info provided', server_traceback: null },
  })
})

test('keeps one provider context, replaced only when asked', async () => {
  expect((await manager.inject('GET', '/provider/context')).body).toEqual({
    id: 'CONTEXT',
    name: 'provider',
    context: {},
  })
  const body = { name: 'cloud', context: { cloudify: { workflows: {} } } }
  expect(await manager.inject('POST', '/provider/context', { body })).toMatchObject({
    status: 201,
    body: { status: 'ok' },
  })
  expect(await manager.inject('POST', '/provider/context', { body })).toMatchObject({
    status: 409,
    body: { error_code: 'conflict_error' },
  })
  const update = { ...body, name: 'other' }
  expect(await manager.inject('POST', '/provider/context?update=true', { body: update })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  })
  expect((await manager.inject('GET', '/provider/context')).body).toEqual({ id: 'CONTEXT', ...update })
  expect((await manager.inject('GET', '/provider/context?_include=name')).body).toEqual({ name: 'other' })
  expect((await manager.inject('POST', '/provider/context', { body: { name: 'x' } })).body.message).toBe(
    'Missing context in json request body',
  )
})

test('where imports come from is for administrators of the manager to say', async () => {
  await addUser(manager.db, 'ordinary', { tenants: { 0: 'manager' } })
  const set = (context: object, user: string) =>
    manager.inject('POST', '/provider/context?update=true', { body: { name: 'cloud', context }, user })
  const rules = { cloudify: { import_resolver: { parameters: { rules: [{ 'https://a': 'https://b' }] } } } }
  expect((await set({}, 'ordinary')).status).toBe(200)
  expect((await set(rules, 'ordinary')).status).toBe(403)
  expect((await set(rules, 'admin')).status).toBe(200)
  expect((await set({}, 'ordinary')).status).toBe(403)
  expect((await set({}, 'admin')).status).toBe(200)
})

test('metrics are for who may see the monitoring, and name nobody', async () => {
  await addUser(manager.db, 'max', { tenants: { 0: 'manager' } })
  const ask = async (headers: Record<string, string>) => manager.app.inject({ url: '/metrics', headers })
  expect((await ask({})).statusCode).toBe(401)
  expect((await ask(headersOf({ user: 'max' }))).statusCode).toBe(403)
  const { statusCode, body, headers } = await ask(headersOf({ tenant: null }))
  expect([statusCode, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
  expect(body).toContain('tutti_http_request_duration_seconds_bucket')
  expect(body).toContain('tutti_queue_waiting{queue="lists"} 0')
  expect(body).not.toMatch(/default_tenant|admin|max"/)
})

test('the monitoring is open to the token in the cookie of who may see it in every tenant', async () => {
  await addUser(manager.db, 'mona', { tenants: { 0: 'manager' } })
  const tokenOf = async (user: string): Promise<string> =>
    (await manager.inject('POST', '/tokens', { user, tenant: null, body: {} })).body.value
  const ask = async (cookie: string | undefined, headers: Record<string, string> = {}) => {
    const answer = await manager.app.inject({
      url: '/api/v3.1/monitoring-auth',
      headers: { ...headers, ...(cookie !== undefined && { cookie }) },
    })
    return { status: answer.statusCode, code: answer.body === '' ? '' : answer.json().error_code }
  }
  const [own, mona] = [await tokenOf('admin'), await tokenOf('mona')]
  for (const cookie of [`XSRF-TOKEN=${own}`, `a=b; XSRF-TOKEN=${own} ;c=d`, `XSRF-TOKEN="${own}"`]) {
    expect(await ask(cookie), cookie).toEqual({ status: 200, code: '' })
  }
  expect(await ask(`XSRF-TOKEN=${own}`, { tenant: 'nowhere' })).toMatchObject({ status: 200 })
  const refused = { status: 401, code: 'unauthorized_error' }
  for (const cookie of [
    '',
    'XSRF-TOKEN=',
    'XSRF-TOKEN=x',
    `XSRF-TOKENS=${own}`,
    `XSRF-TOKEN=${own}x`,
    `a=${own}`,
  ]) {
    expect(await ask(cookie), cookie).toEqual(refused)
  }
  // Whatever else they send, and whatever their role in a tenant is given.
  expect(await ask(undefined, headersOf({ user: 'admin' }))).toEqual(refused)
  expect(await ask(undefined, { 'authentication-token': own })).toEqual(refused)
  expect(await ask(`XSRF-TOKEN=${mona}`, headersOf({ user: 'admin' }))).toEqual(refused)
  await manager.inject('PUT', '/permissions/manager/monitoring')
  expect(await ask(`XSRF-TOKEN=${mona}`, { tenant: 'default_tenant' })).toEqual(refused)
})

test('what one has sent does not rename what another sends', async () => {
  const send = async (context: string) => {
    const answer = await manager.app.inject({
      method: 'POST',
      url: '/api/v3.1/provider/context?update=true',
      headers: headersOf({}),
      payload: `{"name":"p","context":${context}}`,
    })
    expect(answer.statusCode).toBe(200)
    return (await manager.inject('GET', '/provider/context')).body.context
  }
  // JSON.parse of V8 takes the second one's key for the first one's.
  expect(await send('{"a":[],"gr\\\\u0":0}')).toEqual({ a: [], 'gr\\u0': 0 })
  expect(await send('{"a":1,"gr\\u00f6\\u00dfe":1}')).toEqual({ a: 1, größe: 1 })
  expect(await send('{"a":1,"\\u00e4\\"":1}')).toEqual({ a: 1, 'ä"': 1 })
})
