import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintEntries, blueprintText, tarOf, zipOf } from '../../../test/archives.ts'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import type { SentRequest, TestSystem } from '../../../test/test-system.ts'
import { startTestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await addUser(system.db, 'alice', { tenants: { 0: 'user' } })
  await addUser(system.db, 'bob', { tenants: { 0: 'user' } })
})
afterAll(() => system.close())

let next = 0
const newId = () => `bp${next++}`
const put = (id: string, query: string, request: SentRequest) =>
  system.send('PUT', `/blueprints/${id}?${query}`, request)

function form(parameters: object | string | undefined, archive?: Uint8Array, field = 'blueprint_archive') {
  const data = new FormData()
  if (parameters !== undefined) {
    data.set('params', typeof parameters === 'string' ? parameters : JSON.stringify(parameters))
  }
  if (archive !== undefined) data.set(field, new Blob([archive as Uint8Array<ArrayBuffer>]), 'archive')
  return data
}

/** Without a length, in pieces, as the Python client sends files. */
function chunked(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1_000) controller.enqueue(bytes.subarray(at, at + 1_000))
      controller.close()
    },
  })
}

const archive = blueprintArchive()

test.each<[string, () => SentRequest]>([
  ['raw', () => ({ body: archive, headers: { 'content-type': 'application/octet-stream' } })],
  ['raw without a content type', () => ({ body: archive, headers: { 'content-type': '' } })],
  [
    'chunked, named JSON',
    () => ({ body: chunked(archive), headers: { 'content-type': 'application/json' } }),
  ],
  ['multipart', () => ({ body: form({ visibility: 'tenant' }, archive) })],
  ['multipart without params', () => ({ body: form(undefined, archive) })],
  [
    'multipart with all that the Python client sends',
    () => ({
      body: form(
        {
          visibility: 'tenant',
          async_upload: false,
          skip_execution: false,
          application_file_name: 'blueprint.yaml',
          labels: null,
          created_at: null,
          created_by: null,
          state: null,
          blueprint_archive_url: null,
          requirements: null,
        },
        archive,
      ),
    }),
  ],
])('takes an archive sent %s', async (_how, request) => {
  const id = newId()
  const { status, body } = await put(id, '', request())
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined })
  expect(body).toMatchObject({
    id,
    state: 'uploaded',
    error: null,
    error_traceback: null,
    main_file_name: 'blueprint.yaml',
    description: null,
    labels: [],
    is_hidden: false,
    created_by: 'admin',
    tenant_name: 'default_tenant',
    visibility: 'tenant',
    resource_availability: 'tenant',
    private_resource: false,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    upload_execution: { workflow_id: 'upload_blueprint', status: 'terminated' },
  })
  for (const time of ['created_at', 'started_at', 'ended_at']) {
    expect(body.upload_execution[time]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
  // `cfy blueprints get` reads these unasked.
  expect(body.plan).toMatchObject({
    inputs: {},
    deployment_plugins_to_install: expect.any(Array),
    workflow_plugins_to_install: expect.any(Array),
    host_agent_plugins_to_install: expect.any(Array),
  })
  expect(body.plan).toHaveProperty('metadata')
})

test('answers an asynchronous upload at once, and its end is seen at the blueprint', async () => {
  for (const request of [{ body: archive }, { body: form({ async_upload: true }, archive) }]) {
    const id = newId()
    const { status, body } = await put(
      id,
      request.body instanceof FormData ? '' : 'async_upload=True',
      request,
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({ id, upload_execution: { id: expect.any(String) } })
    expect(['uploading', 'extracting', 'parsing', 'uploaded']).toContain(body.state)
    const execution = await system.ended(body.upload_execution.id)
    expect(execution).toMatchObject({
      workflow_id: 'upload_blueprint',
      status: 'terminated',
      deployment_id: null,
      is_system_workflow: false,
      parameters: { blueprint_id: id },
    })
    expect((await system.inject('GET', `/blueprints/${id}`)).body).toMatchObject({ state: 'uploaded' })
    const events = await system.inject('GET', `/events?execution_id=${execution.id}`)
    expect(events.body.items.map((event: { message: string }) => event.message)).toEqual([
      "Starting 'upload_blueprint' workflow execution",
      "'upload_blueprint' workflow execution succeeded",
    ])
  }
})

/** The entries packed by the system's own tar, as users do. */
function packed(flag: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-packed-'))
  try {
    writeFileSync(join(folder, 'plain.tar'), tarOf(...blueprintEntries(blueprintText())))
    spawnSync('tar', ['xf', 'plain.tar'], { cwd: folder })
    return spawnSync('tar', [`c${flag}f`, '-', 'bp'], { cwd: folder }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.each<[string, () => Buffer]>([
  ['zip', () => zipOf(...blueprintEntries(blueprintText()))],
  ['tar', () => packed('')],
  ['tar.gz', () => packed('z')],
  ['tar.bz2', () => packed('j')],
])('takes a %s and gives the same bytes back under a fitting name', async (extension, pack) => {
  const [id, bytes] = [newId(), pack()]
  await system.upload(id, bytes)
  const response = await fetch(`${system.url}/api/v3.1/blueprints/${id}/archive`, {
    headers: {
      authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}`,
      tenant: 'default_tenant',
    },
  })
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-disposition': `attachment; filename="${id}.${extension}"`,
    'content-length': String(bytes.length),
    'content-type': 'application/octet-stream',
  })
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
})

test('parses the main file that is named, also with a URL-quoted name and in a subfolder', async () => {
  const other = blueprintText({ description: 'the other one' })
  const files = blueprintArchive(blueprintText(), { 'other one.yaml': other, 'deep/er.yaml': other })
  for (const request of [
    { query: 'application_file_name=other%20one.yaml', body: files, file: 'other one.yaml' },
    {
      query: '',
      body: form({ application_file_name: 'other%20one.yaml' }, files),
      file: 'other one.yaml',
    },
    { query: 'application_file_name=deep%2Fer.yaml', body: files, file: 'deep/er.yaml' },
  ]) {
    const { status, body } = await put(newId(), request.query, { body: request.body })
    expect({ status, name: body.main_file_name, what: body.description }).toEqual({
      status: 201,
      name: request.file,
      what: 'the other one',
    })
  }
})

test('keeps a percent sign in the name of a main file that is no quoting', async () => {
  const files = blueprintArchive(blueprintText(), { '100%zz%41.yaml': blueprintText() })
  const { status, body } = await put(newId(), '', {
    body: form({ application_file_name: '100%zz%41.yaml' }, files),
  })
  expect({ status, name: body.main_file_name }).toEqual({ status: 201, name: '100%zz%41.yaml' })
})

test.each([
  ['../../etc/passwd', 400],
  ['/etc/passwd', 400],
  ['a\0b', 400],
])('refuses the main file name %j', async (name, status) => {
  const answer = await put(newId(), `application_file_name=${encodeURIComponent(name)}`, { body: archive })
  expect(answer).toMatchObject({ status, body: { error_code: 'bad_parameters_error' } })
})

test.each<[string, string, SentRequest, readonly (readonly [string, string])[]]>([
  [
    'the query',
    'labels=Env=Prod,tier=web',
    { body: archive },
    [
      ['env', 'Prod'],
      ['tier', 'web'],
    ],
  ],
  [
    'params as the Python client writes them',
    '',
    {
      body: form(
        {
          labels: [
            { key: 'Env', value: 'Prod' },
            { key: 'env', value: 'Test' },
          ],
        },
        archive,
      ),
    },
    [
      ['env', 'Prod'],
      ['env', 'Test'],
    ],
  ],
  [
    'params as pairs',
    '',
    { body: form({ labels: [{ env: ['a', 'b'] }] }, archive) },
    [
      ['env', 'a'],
      ['env', 'b'],
    ],
  ],
  [
    'the blueprint itself, when the request has none',
    '',
    { body: blueprintArchive(blueprintText({ blueprint_labels: { Own: { values: ['x', 'y'] } } })) },
    [
      ['own', 'x'],
      ['own', 'y'],
    ],
  ],
  [
    'the request alone, when both have some',
    'labels=mine=1',
    { body: blueprintArchive(blueprintText({ blueprint_labels: { own: { values: ['x'] } } })) },
    [['mine', '1']],
  ],
])('takes labels of %s', async (_where, query, request, expected) => {
  const { status, body } = await put(newId(), query, request)
  expect(status).toBe(201)
  expect(body.labels.map(({ key, value }: { key: string; value: string }) => [key, value])).toEqual(expected)
  expect(Object.keys(body.labels[0]).sort()).toEqual(['created_at', 'created_by', 'key', 'value'])
})

test.each<[string, string, SentRequest, number, string]>([
  ['an id that does not begin with a letter', '1a', { body: archive }, 400, 'must begin with a letter'],
  ['an id with other characters', 'a%20b', { body: archive }, 400, 'illegal characters'],
  ['a long id', 'a'.repeat(257), { body: archive }, 400, 'too long'],
  ['neither archive nor URL', 'x', {}, 400, 'Missing blueprint archive'],
  ['an empty body', 'x', { body: '' }, 400, 'Missing blueprint archive'],
  ['both archive and URL', 'x?blueprint_archive_url=http://127.0.0.1/', { body: archive }, 400, 'both'],
  ['an unknown visibility', 'x?visibility=public', { body: archive }, 400, 'Invalid visibility: `public`'],
  [
    'visibility with private_resource',
    'x?visibility=tenant&private_resource=true',
    { body: archive },
    400,
    'together',
  ],
  [
    'a flag that is none',
    'x?async_upload=perhaps',
    { body: archive },
    400,
    'must be <true/false>, got perhaps',
  ],
  ['reserved labels', 'x?labels=csys-mine=1', { body: archive }, 400, 'reserved'],
  ['labels without a value', 'x?labels=a', { body: archive }, 400, 'key=value'],
  ['the same label twice', 'x?labels=a=1,A=1', { body: archive }, 400, 'same label twice'],
  ['params that are no JSON', 'x', { body: form('{', archive) }, 400, 'not valid JSON'],
  ['params that are no object', 'x', { body: form('[]', archive) }, 400, 'must be a JSON object'],
  [
    'a multipart body without boundary',
    'x',
    { body: 'abc', headers: { 'content-type': 'multipart/form-data' } },
    400,
    'malformed',
  ],
  [
    'a multipart body that was cut off',
    'x',
    {
      body: '--b\r\nContent-Disposition: form-data; name="params"\r\n\r\n{',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    },
    400,
    'not valid JSON',
  ],
])('refuses %s', async (_what, path, request, status, message) => {
  const answer = await system.send('PUT', `/blueprints/${path}`, request)
  expect(answer).toMatchObject({
    status,
    body: { error_code: 'bad_parameters_error', message: expect.stringContaining(message) },
  })
  expect((await system.inject('GET', '/blueprints/x')).status).toBe(404)
})

test('refuses more bytes than allowed, however they come, and goes on serving', async () => {
  const large = Buffer.alloc(11_000_000, 'x')
  for (const body of [large, chunked(large), form({}, large)]) {
    const answer = await put('large', '', { body: body as never })
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error' } })
    expect(answer.body.message).toContain('larger than the allowed 10000000 bytes')
  }
  expect((await system.inject('GET', '/blueprints/large')).status).toBe(404)
})

test('a second upload of an id is a conflict that names it', async () => {
  const id = newId()
  await system.upload(id)
  const answer = await put(id, '', { body: archive })
  expect(answer).toMatchObject({
    status: 409,
    body: {
      error_code: 'conflict_error',
      message: `blueprint with id=${id} already exists on tenant default_tenant or with global visibility`,
    },
  })
})

test('of two uploads of one id at once, one wins', async () => {
  const id = newId()
  const answers = await Promise.all([1, 2, 3].map(() => put(id, '', { body: archive })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
})

test('a failed upload makes way for the next', async () => {
  const id = newId()
  const failed = await put(id, 'labels=a=b', { body: blueprintArchive('node_templates: 1') })
  expect(failed).toMatchObject({ status: 400, body: { error_code: 'invalid_blueprint_error' } })
  await system.upload(id)
  const { body } = await system.inject('GET', `/blueprints/${id}`)
  expect(body).toMatchObject({ state: 'uploaded', error: null, labels: [] })
})

test('who may see a blueprint is said at the upload', async () => {
  const [mine, flagged, all, refused] = [newId(), newId(), newId(), newId()]
  await addUser(system.db, 'manager1', { tenants: { 0: 'manager' } })
  await system.upload(mine, archive, 'visibility=private', { user: 'alice' })
  await system.upload(flagged, archive, 'private_resource=True', { user: 'alice' })
  await system.upload(all, archive, 'visibility=global')
  const forbidden = await put(refused, 'visibility=global', { body: archive, user: 'alice' })
  expect(forbidden).toMatchObject({ status: 403, body: { error_code: 'forbidden_error' } })
  const seenBy = async (user: string) => {
    const { body } = await system.inject(
      'GET',
      `/blueprints?id=${mine}&id=${flagged}&id=${all}&_include=id`,
      { user },
    )
    return body.items.map((item: { id: string }) => item.id)
  }
  expect(await seenBy('bob')).toEqual([all])
  for (const user of ['alice', 'admin', 'manager1']) expect(await seenBy(user)).toEqual([mine, flagged, all])
  for (const path of [`/blueprints/${mine}`, `/blueprints/${mine}/archive`]) {
    expect((await system.inject('GET', path, { user: 'bob' })).status).toBe(404)
  }
  expect((await put(mine, '', { body: archive, user: 'bob' })).status).toBe(409)
  expect((await put(newId(), '', { body: archive, user: 'nobody' })).status).toBe(401)
})

test('an id is unique in its tenant, and a global one everywhere', async () => {
  const other = await addTenant(system.db, 'other')
  await addUser(system.db, 'carol', { tenants: { [other]: 'user' } })
  const [both, global] = [newId(), newId()]
  await system.upload(both)
  await system.upload(both, archive, '', { user: 'carol', tenant: 'other' })
  expect(await put(both, '', { user: 'carol', tenant: 'other', body: archive })).toMatchObject({
    status: 409,
  })
  await system.upload(global, archive, 'visibility=global')
  expect(await put(global, '', { user: 'carol', tenant: 'other', body: archive })).toMatchObject({
    status: 409,
    body: {
      message: `blueprint with id=${global} already exists on tenant other or with global visibility`,
    },
  })
  const taken = newId()
  await system.upload(taken, archive, '', { user: 'carol', tenant: 'other' })
  expect(await put(taken, 'visibility=global', { body: archive })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('also exists in other tenants') },
  })
})

test('a blueprint that is deleted while it is uploaded stays deleted', async () => {
  const id = newId()
  const { body } = await put(id, 'async_upload=true', { body: archive })
  const removed = await system.inject('DELETE', `/blueprints/${id}?force=true`)
  expect(removed.status).toBe(204)
  await system.upload(id, blueprintArchive(blueprintText({ description: 'the second' })))
  const first = await system.ended(body.upload_execution.id)
  expect(['failed', 'terminated']).toContain(first.status)
  if (first.status === 'failed') expect(first.error).toBe(`Blueprint ${id} was deleted during its upload`)
  expect((await system.inject('GET', `/blueprints/${id}`)).body.description).toBe('the second')
})
