import { afterAll, beforeAll, expect, test } from 'vitest'
import { addUser } from '../../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'

let manager: TestManager
beforeAll(async () => {
  manager = await startTestManager()
  await addUser(manager.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(manager.db, 'bob', { tenants: { 0: 'user' } })
})
afterAll(() => manager.close())

const create = (user: string, body: object = {}) =>
  manager.inject('POST', '/tokens', { body, user, tenant: null })

test('a new token is shown once and lets its owner in', async () => {
  const { status, body } = await create('alice', { description: 'ci', expiration_date: '+10h' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ username: 'alice', role: 'default', description: 'ci', last_used: null })
  expect(body.value).toMatch(new RegExp(`^ctok-${body.id}-[A-Za-z0-9]{40}$`))
  const hours = (Date.parse(body.expiration_date) - Date.now()) / 3_600_000
  expect(Math.round(hours)).toBe(10)
  const self = await manager.inject('GET', '/user', { token: body.value, tenant: null })
  expect(self.body.username).toBe('alice')
  expect((await manager.inject('GET', `/tokens/${body.id}`, { user: 'alice' })).body).toMatchObject({
    value: `ctok-${body.id}-********`,
    last_used: expect.stringMatching(/Z$/),
  })
})

test('a token counts beside the name of nobody, and not beside a wrong password', async () => {
  const { value } = (await create('alice')).body
  const status = async (login: string) => {
    const headers = { authorization: `Basic ${btoa(login)}`, 'authentication-token': value }
    return (await manager.app.inject({ url: '/api/v3.1/user', headers })).statusCode
  }
  expect(await status('nobody:x')).toBe(200)
  expect(await status('bob:x')).toBe(401)
})

test('wrong, misshapen and expired tokens are told apart', async () => {
  const { id, value } = (await create('alice', { expiration_date: '+1h' })).body
  const message = async (token: string) =>
    (await manager.inject('GET', '/user', { token, tenant: null })).body.message
  expect(await message(`ctok-${id}-${'x'.repeat(40)}`)).toBe('User unauthorized: Unauthorized')
  expect(await message(`ctok-${id}`)).toBe('User unauthorized: Invalid token structure')
  expect(await message('x')).toBe('User unauthorized: Invalid token structure')
  await manager.db.updateTable('tokens').set({ expiration_date: '2020-01-01' }).where('id', '=', id).execute()
  expect(await message(value)).toBe('User unauthorized: Token is expired')
  await create('alice')
  expect(await message(value)).toBe('User unauthorized: Unauthorized')
})

test('everybody sees their own tokens, holders of manage_others_tokens all of them', async () => {
  const token = (await create('bob')).body
  const ids = async (user: string, query = '') => {
    const { body } = await manager.inject('GET', `/tokens${query}`, { user, tenant: null })
    expect(body.metadata.pagination).toMatchObject({ offset: 0 })
    return body.items.map((item: { id: string }) => item.id)
  }
  expect(await ids('bob')).toEqual([token.id])
  expect(await ids('admin', '?username=bob')).toEqual([token.id])
  expect(await ids('bob', '?username=alice')).toEqual([])
  expect(await ids('admin', '?_size=0')).toEqual([])
  for (const method of ['GET', 'DELETE'] as const) {
    expect(await manager.inject(method, `/tokens/${token.id}`, { user: 'alice' })).toMatchObject({
      status: 404,
      body: { message: `Could not find token ${token.id}`, error_code: 'not_found_error' },
    })
  }
  expect((await manager.inject('DELETE', `/tokens/${token.id}`, { user: 'admin' })).status).toBe(204)
  expect(await ids('bob')).toEqual([])
})

test('a token cannot end before it begins', async () => {
  expect((await create('alice', { expiration_date: '2020-01-01 10:00' })).body).toMatchObject({
    message: 'Expiration date was in the past.',
    error_code: 'bad_parameters_error',
  })
  expect((await create('alice', { expiration_date: 5 })).status).toBe(400)
})
