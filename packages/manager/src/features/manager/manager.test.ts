import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestManager, type TestManager } from '../../../test/test-manager.ts'
import { tuttiVersion } from '../../version.ts'

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
