import { createSlowDown } from '@tutti/domain/authentication'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { headersOf, passwordOf, startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  // Its time stands still: who must wait waits for ever.
  Object.assign(manager.services, { slowDown: createSlowDown({ now: () => 0, most: 100 }) })
  await addTenant(manager.db, 'lab')
})
afterAll(() => manager.close())

const setPassword = (username: string, body: object, request: object = {}) =>
  manager.inject('POST', `/users/${username}`, { body, ...request })
const newToken = async (user: string): Promise<string> =>
  (await manager.inject('POST', '/tokens', { user, body: {} })).body.value
const self = async (request: object) => (await manager.inject('GET', '/user', request)).status

const login = async (username: string, password: string, more: object = {}) => {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answer = await manager.app.inject({
    url: '/api/v3.1/user',
    headers: { authorization },
    ...more,
  })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

test.each([
  ['their own, by password', 'anna', { user: 'anna' }],
  ['another one, by an administrator', 'berta', {}],
])('a new password ends all tokens of its user: %s', async (_how, username, request) => {
  await addUser(manager.db, username, { tenants: { 0: 'user' } })
  const tokens = [await newToken(username), await newToken(username)]
  const others = await newToken('admin')
  expect((await setPassword(username, { show_getting_started: false }, request)).status).toBe(200)
  for (const token of tokens) expect(await self({ token })).toBe(200)
  expect((await setPassword(username, { password: 'a new password' }, request)).status).toBe(200)
  for (const token of tokens) expect(await self({ token })).toBe(401)
  expect(await self({ token: others })).toBe(200)
  expect((await login(username, passwordOf(username))).status).toBe(401)
  expect((await login(username, 'a new password')).status).toBe(200)
})

test.each(['default', 'sys_admin'])(
  'a token alone sets no new password for its own user (%s)',
  async (role) => {
    const username = `carla-${role}`.replace('_', '-')
    await addUser(manager.db, username, { role, tenants: { 0: 'user' } })
    const token = await newToken(username)
    const next = { password: 'stolen password' }
    expect(await setPassword(username.toUpperCase(), next, { token })).toMatchObject({
      status: 403,
      body: { error_code: 'forbidden_error', hint: expect.stringContaining('old_password') },
    })
    expect((await setPassword(username, { ...next, old_password: 'guess' }, { token })).status).toBe(401)
    expect((await setPassword(username, { ...next, old_password: '' }, { token })).status).toBe(401)
    expect((await login(username, passwordOf(username))).status).toBe(200)
    const right = { ...next, old_password: passwordOf(username) }
    expect((await setPassword(username, right, { token })).status).toBe(200)
    expect(await self({ token })).toBe(401)
    expect((await login(username, 'stolen password')).status).toBe(200)
  },
)

test('guesses of the old password are slowed down like logins', async () => {
  await addUser(manager.db, 'dora', { tenants: { 0: 'user' } })
  const token = await newToken('dora')
  const guess = (index: number) =>
    setPassword('dora', { password: 'next one', old_password: `guess ${index}` }, { token })
  const seen: number[] = []
  for (let index = 0; index < 6; index += 1) seen.push((await guess(index)).status)
  expect(seen).toEqual([401, 401, 401, 401, 401, 429])
})

test('a token that was asked for with the old password is not made after the new one is set', async () => {
  await addUser(manager.db, 'emil', { tenants: { 0: 'user' } })
  await manager.db
    .transaction()
    .execute(async (transaction) => {
      await transaction
        .updateTable('users')
        .set({ password_hash: 'other' })
        .where('username', '=', 'emil')
        .execute()
      const asked = manager.inject('POST', '/tokens', { user: 'emil', body: {} })
      await vi.waitFor(async () => {
        const waiting = await manager.db
          // biome-ignore lint/suspicious/noExplicitAny: a view of PostgreSQL, not of the schema
          .selectFrom('pg_stat_activity' as any)
          .select('pid')
          .where('wait_event_type', '=', 'Lock')
          .where('datname', '=', sql<string>`current_database()`)
          .execute()
        expect(waiting).toHaveLength(1)
      }, 60_000)
      return { asked }
    })
    .then(async ({ asked }) => expect((await asked).status).toBe(401))
})

test('a stranger who guesses is slowed down, and keeps nobody out', async () => {
  await addUser(manager.db, 'fritz', { tenants: { 0: 'user' } })
  for (const username of ['admin', 'fritz', 'nobody-of-that-name']) {
    const stranger = { remoteAddress: '203.0.113.7' }
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_none, index) => login(username, `guess ${index}`, stranger)),
    )
    expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(5).fill(401), ...Array(7).fill(429)])
    const { headers, body } = await login(username, passwordOf(username), stranger)
    expect([headers['retry-after'], body.error_code]).toEqual(['1', 'too_many_requests_error'])
    const elsewhere = await login(username, passwordOf(username))
    expect(elsewhere.status).toBe(username === 'nobody-of-that-name' ? 401 : 200)
  }
})

test('where accounts are locked, administrators are not, and the right password makes no lock longer', async () => {
  await manager.inject('PUT', '/config/account_lock_period', { body: { value: 10 } })
  await addUser(manager.db, 'gerda', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'chief', { role: 'sys_admin' })
  const stranger = (index: number) => ({ remoteAddress: `203.0.113.${index}` })
  for (const username of ['gerda', 'chief']) {
    for (let index = 0; index < 9; index += 1) await login(username, 'guess', stranger(index))
  }
  const failures = () =>
    manager.db
      .selectFrom('users')
      .select(['failed_logins', 'last_failed_login_at'])
      .where('username', '=', 'gerda')
      .executeTakeFirstOrThrow()
  const before = await failures()
  expect((await login('gerda', passwordOf('gerda'))).status).toBe(401)
  expect((await login('gerda', 'guess', stranger(77))).status).toBe(401)
  expect(await failures()).toEqual(before)
  expect((await login('chief', passwordOf('chief'))).status).toBe(200)
  await manager.inject('POST', '/users/unlock/gerda', {})
  expect((await login('gerda', passwordOf('gerda'), stranger(200))).status).toBe(200)
  await manager.inject('PUT', '/config/account_lock_period', { body: { value: -1 } })
})

test('strangers are told the same of users and tenants that exist and that do not', async () => {
  await addUser(manager.db, 'hanna', { tenants: { 0: 'user' } })
  const answers = async (username: string, more: object = {}) => {
    const { status, body } = await login(username, 'guess', { remoteAddress: '203.0.113.99', ...more })
    return JSON.stringify({ status, body }).replaceAll(username, 'NAME')
  }
  expect(await answers('hanna')).toBe(await answers('nobody-hanna'))
  expect(await answers('HANNA')).toBe(await answers('nobody-HANNA'))
  const both = (username: string) => ({
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:guess`).toString('base64')}`,
      'authentication-token': 'ctok-a-b',
    },
  })
  expect(await answers('hanna', both('hanna'))).toBe(await answers('nobody-h', both('nobody-h')))
  for (const [method, path] of [
    ['GET', '/blueprints'],
    ['GET', '/blueprints?_all_tenants=true'],
    ['GET', '/version'],
    ['PUT', '/sites/x'],
    ['POST', '/executions'],
  ] as const) {
    const of = async (tenant: string) => {
      const { status, text } = await manager.inject(method, path, { user: 'hanna', tenant, body: {} })
      return JSON.stringify({ status, text }).replaceAll(tenant, 'NAME')
    }
    expect(await of('lab'), path).toBe(await of('nil'))
  }
  const headers = headersOf({ tenant: 'nil' })
  expect((await manager.app.inject({ url: '/api/v3.1/blueprints', headers })).json().message).toContain(
    'Tried to authenticate with invalid tenant name: nil',
  )
})
