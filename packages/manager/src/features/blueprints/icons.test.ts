import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText, tarOf } from '../../../test/archives.ts'
import { addExecution, addTenant, addUser } from '../../../test/fixtures.ts'
import { png, pngChunk } from '../../../test/png.ts'
import type { TestRequest } from '../../../test/test-manager.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let otherToken: string
beforeAll(async () => {
  system = await startTestSystem()
  const lab = await addTenant(system.db, 'lab')
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
  await addUser(system.db, 'vera', { tenants: { 0: 'viewer' } })
  await addUser(system.db, 'oscar', { tenants: { 0: 'operations' } })
  await addUser(system.db, 'carol', { tenants: { [lab]: 'manager' } })
  otherToken = (await addExecution(system.db, { tenantId: lab, createdBy: 'carol' })).token
  await system.upload('app')
})
afterAll(() => system.close())

const send = (id: string, body: Uint8Array | undefined, request: TestRequest = {}) =>
  system.send('PATCH', `/blueprints/${id}/icon`, { ...request, ...(body && { body }) } as object)

const shown = async (id: string, request: TestRequest = {}) => {
  const answer = await system.app.inject({
    url: `/resources/blueprints/default_tenant/${id}/icon.png`,
    headers: {
      authorization: `Basic ${Buffer.from(`${request.user ?? 'admin'}:${request.user ?? 'admin'}-password`).toString('base64')}`,
    },
  })
  return { status: answer.statusCode, type: answer.headers['content-type'], bytes: answer.rawPayload }
}
const archiveOf = async (id: string) => {
  const answer = await system.app.inject({
    url: `/api/v3.1/blueprints/${id}/archive`,
    headers: {
      authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}`,
      tenant: 'default_tenant',
    },
  })
  expect(answer.headers['content-disposition']).toBe(`attachment; filename="${id}.tar.gz"`)
  return gunzipSync(answer.rawPayload)
}

test('an icon is a file of the blueprint: set, replaced and removed', async () => {
  expect((await shown('app')).status).toBe(404)
  const before = (await system.inject('GET', '/blueprints/app')).body
  const answer = await send('app', png())
  expect(answer).toMatchObject({ status: 200, body: { id: 'app', state: 'uploaded' } })
  expect(answer.body.updated_at).not.toBe(before.updated_at)
  expect(await shown('app')).toEqual({ status: 200, type: 'image/png', bytes: png() })
  expect((await archiveOf('app')).includes(png())).toBe(true)

  const larger = png({ width: 64, height: 64 })
  expect((await send('app', larger)).status).toBe(200)
  expect((await shown('app')).bytes).toEqual(larger)
  expect((await archiveOf('app')).includes(png())).toBe(false)

  expect((await send('app', undefined)).status).toBe(200)
  expect((await shown('app')).status).toBe(404)
  expect((await send('app', undefined)).status).toBe(200)
  // What else is in it stays.
  await system.deploy('running', 'app')
})

test('the icon of an archive is shown, and the main file and scripts stay what they are', async () => {
  const files = { 'scripts/run.sh': 'echo hello', 'icon.png/nested': 'no icon' }
  await system.upload('foldered', blueprintArchive(undefined, files))
  expect((await send('foldered', png())).status).toBe(200)
  expect((await shown('foldered')).bytes).toEqual(png())
  const get = (path: string) =>
    system.inject('GET', `/resources/blueprints/default_tenant/foldered/${path}`, { tenant: null })
  expect((await get('scripts/run.sh')).text).toBe('echo hello')
  expect((await get('blueprint.yaml')).text).toContain('cloudify_dsl_1_5')
  const own = tarOf(
    { name: '@top/blueprint.yaml', content: blueprintText() },
    { name: '@top/icon.png', content: png() },
  )
  await system.upload('pictured', own)
  expect((await shown('pictured')).bytes).toEqual(png())
  expect((await send('pictured', png({ width: 9 }))).status).toBe(200)
  expect((await shown('pictured')).bytes).toEqual(png({ width: 9 }))
})

test('two at once: the last one stands, and nothing else is lost', async () => {
  await system.upload('raced', blueprintArchive(undefined, { 'kept.txt': 'kept' }))
  const icons = [png({ width: 3 }), png({ width: 4 })]
  const answers = await Promise.all(icons.map((icon) => send('raced', icon)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(icons).toContainEqual((await shown('raced')).bytes)
  const kept = await system.inject('GET', '/resources/blueprints/default_tenant/raced/kept.txt', {
    tenant: null,
  })
  expect(kept.text).toBe('kept')
})

const whole = png()
test.each<[string, Uint8Array, string]>([
  ['a script', Buffer.from('#!/bin/sh\n'), 'does not begin as one'],
  [
    'a drawing with scripts',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    'does not begin',
  ],
  ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), 'does not begin'],
  ['a picture that is cut off', whole.subarray(0, whole.length - 4), 'cut off'],
  ['a signature alone', whole.subarray(0, 8), 'cut off'],
  ['a page behind a picture', Buffer.concat([whole, Buffer.from('<script>')]), 'follows its end'],
  [
    'a damaged picture',
    Buffer.concat([whole.subarray(0, 20), Buffer.from([9]), whole.subarray(21)]),
    'damaged',
  ],
  [
    'a picture without content',
    Buffer.concat([whole.subarray(0, 33), pngChunk('IEND', Buffer.alloc(0))]),
    'no content',
  ],
  ['a picture of a mile', png({ width: 2 ** 31 - 1 }), 'pixels'],
  ['a picture of nothing', png({ width: 0 }), 'pixels'],
  [
    'a chunk longer than the file',
    Buffer.concat([whole.subarray(0, 33), Buffer.from([0xff, 0xff, 0xff, 0xff]), whole.subarray(37)]),
    'cut off',
  ],
  ['more than a megabyte', png({ more: [pngChunk('tEXt', Buffer.alloc(2 ** 20))] }), 'no more than'],
])('%s is no icon', async (_what, body, message) => {
  const answer = await send('app', body)
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error' } })
  expect(answer.body.message).toContain(message)
})

test('an icon may not make the blueprint larger than it may be', async () => {
  await system.upload('full')
  await system.inject('PUT', '/config/blueprint_folder_max_files', { body: { value: 2 } })
  try {
    expect((await send('full', png())).body.message).toContain('too large with this icon')
    expect((await shown('full')).status).toBe(404)
    expect(
      (await system.inject('GET', '/resources/blueprints/default_tenant/full/blueprint.yaml')).status,
    ).toBe(200)
  } finally {
    await system.inject('PUT', '/config/blueprint_folder_max_files', { body: { value: 10_000 } })
  }
})

test('only who may upload sets icons, of what they see, in their own tenant', async () => {
  await system.upload('mine', undefined, 'visibility=private', { user: 'alice' })
  await system.upload('everyones', undefined, 'visibility=global')
  expect((await send('mine', png(), { user: 'alice' })).status).toBe(200)
  const attacks = [
    ['app', { user: null }, 401],
    ['app', { user: 'vera' }, 403],
    ['app', { user: 'oscar' }, 403],
    ['mine', { user: 'bob' }, 404],
    ['none', { user: 'bob' }, 404],
    ['app', { user: 'carol' }, 403],
    ['app', { user: 'carol', tenant: 'lab' }, 404],
    ['everyones', { user: 'carol', tenant: 'lab' }, 400],
    ['app', { executionToken: otherToken, user: null }, 403],
    ['app', { executionToken: otherToken, user: null, tenant: 'lab' }, 404],
    ['..%2Fapp', {}, 404],
  ] as const
  for (const [id, request, status] of attacks) {
    const answer = await send(id, png({ width: 7 }), request)
    expect(answer.status, `${id} ${JSON.stringify(request)}: ${answer.text}`).toBe(status)
  }
  for (const id of ['app', 'everyones']) expect((await shown(id)).bytes).not.toEqual(png({ width: 7 }))
  expect((await shown('mine', { user: 'bob' })).status).toBe(404)
  expect((await shown('mine', { user: 'alice' })).bytes).toEqual(png())
})

test('what is not uploaded has no icon', async () => {
  await system.send('PUT', '/blueprints/bad', { body: blueprintArchive('node_templates: 1') })
  expect(await send('bad', png())).toMatchObject({ status: 409, body: { error_code: 'conflict_error' } })
})
