import { afterAll, beforeAll, expect, test } from 'vitest'
import { addUser } from '../../../test/fixtures.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let manager: TestSystem
beforeAll(async () => {
  manager = await startTestSystem()
  await addUser(manager.db, 'vera', { tenants: { 0: 'viewer' } })
})
afterAll(() => manager.close())

const signature = Buffer.alloc(256, 7).toString('base64')
const file = (fields: Readonly<Record<string, unknown>> = {}, signed = `!!binary |\n  ${signature}`) =>
  `license:\n${Object.entries({
    customer_id: 'ACME',
    license_edition: 'Spire',
    trial: true,
    cloudify_version: '7.1.0',
    capabilities: ['HA', 'MM'],
    expiration_date: '12/31/2099',
    ...fields,
  })
    .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
    .join('')}signature: ${signed}\n`
// As the Python client sends it: no JSON, under the name of JSON.
const upload = (body: string, request = {}) =>
  manager.send('PUT', '/license', { body, tenant: null, ...request })
const list = async () => (await manager.inject('GET', '/license', { tenant: null, user: 'vera' })).body

// The console of a premium edition opens no page without a license.
const builtIn = {
  id: 'LICENSE',
  customer_id: null,
  expiration_date: null,
  license_edition: 'premium',
  trial: false,
  cloudify_version: null,
  capabilities: [],
  expired: false,
}

test('nothing is refused without a license', async () => {
  expect(await list()).toEqual({
    items: [builtIn],
    metadata: { pagination: { total: 1, size: 1000, offset: 0 }, filtered: null },
  })
  expect((await manager.inject('GET', '/license-check')).body).toBe('OK')
  expect(await manager.inject('DELETE', '/license')).toMatchObject({ status: 404 })
})

test('a license file is kept and shown until it is replaced or removed', async () => {
  const license = {
    id: 'LICENSE',
    customer_id: 'ACME',
    expiration_date: '2099-12-31T00:00:00.000Z',
    license_edition: 'Spire',
    trial: true,
    cloudify_version: '7.1.0',
    capabilities: ['HA', 'MM'],
    expired: false,
  }
  expect(await upload(file())).toMatchObject({ status: 200, body: license })
  expect((await list()).items).toEqual([license])
  const expired = file({ customer_id: 'Other', expiration_date: '01/02/2020', cloudify_version: null })
  expect((await upload(expired)).body).toMatchObject({
    customer_id: 'Other',
    expired: true,
    cloudify_version: null,
  })
  expect((await manager.inject('GET', '/license-check')).body).toBe('OK')
  expect((await manager.inject('GET', '/deployments')).status).toBe(200)
  expect((await manager.inject('DELETE', '/license')).status).toBe(204)
  expect((await list()).items).toEqual([builtIn])
})

test('a license may last for some days, or for ever', async () => {
  const { body } = await upload(file({ expiration_date: '60 days' }))
  const days = (new Date(body.expiration_date).getTime() - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(60)
  expect((await upload(file({ expiration_date: null }))).body).toMatchObject({
    expiration_date: null,
    expired: false,
  })
})

test.each([
  ['no YAML', 'a: [', 'invalid_yaml_format', 'not valid YAML'],
  ['empty', '', 'invalid_yaml_format', 'not valid YAML'],
  ['a text', 'hello', 'unverified_cloudify_license', 'could not be verified'],
  ['a list', '[]', 'unverified_cloudify_license', 'could not be verified'],
  ['unsigned', file().split('signature')[0] ?? '', 'unverified_cloudify_license', 'could not be verified'],
  ['signed by hand', file({}, '"me"'), 'unverified_cloudify_license', 'could not be verified'],
  ['anonymous', file({ customer_id: '' }), 'unverified_cloudify_license', 'could not be verified'],
  ['too old', file({ cloudify_version: '5.0.5' }), 'unverified_cloudify_license', 'versions'],
  ['of no date', file({ expiration_date: 'soon' }), 'unverified_cloudify_license', 'could not be verified'],
  ['of no such date', file({ expiration_date: '13/41/2030' }), 'unverified_cloudify_license', 'verified'],
  ['deep', `a: ${'['.repeat(2000)}${']'.repeat(2000)}`, 'invalid_yaml_format', 'not valid YAML'],
  ['huge', `a: "${'x'.repeat(200_000)}"`, 'bad_parameters_error', 'no more than'],
])('a file that is %s is refused, and the license stays', async (_what, text, code, message) => {
  await upload(file({ customer_id: 'Kept' }))
  const answer = await upload(text)
  expect(answer).toMatchObject({ status: 400, body: { error_code: code } })
  expect(answer.body.message).toContain(message)
  expect((await list()).items).toMatchObject([{ customer_id: 'Kept' }])
})

test('everybody may see it, system administrators change it', async () => {
  expect(await upload(file(), { user: 'vera' })).toMatchObject({ status: 403 })
  expect(await manager.inject('DELETE', '/license', { user: 'vera' })).toMatchObject({ status: 403 })
  expect(await manager.inject('GET', '/license', { user: null })).toMatchObject({ status: 401 })
})

test('contacts and customer ids belong to the other edition', async () => {
  const body = { first_name: 'A', last_name: 'B', email: 'a@b.c', is_eula: true }
  const refused = { status: 404, body: { error_code: 'community_only_error' } }
  expect(await manager.inject('POST', '/contacts', { body })).toMatchObject(refused)
  expect(await manager.inject('POST', '/license', { body: { customer_id: 'x' } })).toMatchObject(refused)
  expect((await manager.inject('POST', '/contacts', { body: { ...body, is_eula: false } })).status).toBe(400)
  expect((await manager.inject('POST', '/contacts', { body: {} })).body.message).toContain(
    'Missing first_name',
  )
})
