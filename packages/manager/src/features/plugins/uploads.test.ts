import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { tarOf, zipOf } from '../../../test/archives.ts'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import {
  archiveNameOf,
  caravanOf,
  pluginYaml,
  pluginZip,
  wagonEntries,
  wagonOf,
} from '../../../test/plugin-archives.ts'
import { png } from '../../../test/png.ts'
import { type SentRequest, startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem({ allowPrivateAddresses: true })
  await addUser(system.db, 'uma', { tenants: { 0: 'user' } })
  await addUser(system.db, 'vera', { tenants: { 0: 'viewer' } })
})
afterAll(() => system.close())
afterEach(() => sql`delete from plugins`.execute(system.db))

const post = (body: SentRequest['body'], query = '', request: SentRequest = {}) =>
  system.send('POST', `/plugins?${query}`, { ...request, ...(body !== undefined && { body }) })
const get = (path: string, request: SentRequest = {}) => system.send('GET', path, request)

/** Files that uploads have left behind. */
const leftOver = () =>
  readdirSync(system.services.uploadFolder).filter((name) => /^plugin-|^[0-9a-f-]{36}$/.test(name))

function chunked(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 100) controller.enqueue(bytes.subarray(at, at + 100))
      controller.close()
    },
  })
}

async function download(path: string): Promise<{ bytes: Buffer; headers: Headers; status: number }> {
  const authorization = `Basic ${Buffer.from('admin:admin-password').toString('base64')}`
  const response = await fetch(`${system.url}/api/v3.1${path}`, {
    headers: { authorization, tenant: 'default_tenant' },
  })
  return {
    bytes: Buffer.from(await response.arrayBuffer()),
    headers: response.headers,
    status: response.status,
  }
}

test('a zip of a wagon, YAML files and an icon becomes a plugin with all that they say', async () => {
  const yaml = pluginYaml(
    {},
    {
      labels: { env: { values: ['prod', 'test'] } },
      blueprint_labels: { kind: { values: ['web'] } },
      resource_tags: { owner: 'me' },
    },
  )
  const { status, body } = await post(
    pluginZip({}, { 'zzz.yaml': pluginYaml(), 'plugin.yaml': yaml, 'icon.png': png(), 'README.md': 'x' }),
    'visibility=tenant&title=A%20title',
  )
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined })
  expect(body).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    title: 'A title',
    package_name: 'test-plugin',
    package_version: '1.0',
    package_source: '/src/test-plugin',
    archive_name: archiveNameOf(),
    supported_platform: 'any',
    distribution: null,
    distribution_version: null,
    distribution_release: null,
    supported_py_versions: ['py311'],
    wheels: ['test_plugin-1.0-py3-none-any.whl'],
    excluded_wheels: [],
    labels: { env: ['prod', 'test'] },
    blueprint_labels: { kind: ['web'] },
    resource_tags: { owner: 'me' },
    installation_state: [],
    yaml_files_paths: ['plugin.yaml', 'zzz.yaml'].map((name) => `/resources/plugins/${body.id}/${name}`),
    yaml_url_path: 'plugin:test-plugin?version=1.0',
    uploaded_at: expect.stringMatching(/Z$/),
    visibility: 'tenant',
    tenant_name: 'default_tenant',
    created_by: 'admin',
    private_resource: false,
  })
  expect((await get(`/plugins/${body.id}`)).body).toEqual(body)
  expect((await get('/plugins')).body.items).toEqual([body])
  expect(leftOver()).toEqual([])
})

test.each<[string, () => SentRequest['body'], Readonly<Record<string, string>>]>([
  ['with a length', () => pluginZip(), {}],
  ['in pieces, named JSON', () => chunked(pluginZip()), { 'content-type': 'application/json' }],
])('takes a zip that is sent %s', async (_how, body, headers) => {
  expect(await post(body(), '', { headers })).toMatchObject({
    status: 201,
    body: { title: 'test-plugin', visibility: 'tenant' },
  })
})

test.each([
  ['tar.gz', () => wagonOf()],
  ['zip', () => zipOf(...wagonEntries().map(({ name, content = '' }) => ({ name, content })))],
])('takes a bare wagon that is a %s', async (_kind, wagon) => {
  const bytes = wagon()
  const { status, body } = await post(bytes)
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined })
  expect(body).toMatchObject({ yaml_files_paths: [], yaml_url_path: '', package_version: '1.0' })
  const { bytes: sent, headers } = await download(`/plugins/${body.id}/archive`)
  expect(sent.equals(bytes)).toBe(true)
  expect(headers.get('content-length')).toBe(String(bytes.length))
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${archiveNameOf()}"`)
  expect((await get(`/plugins/${body.id}/yaml`)).status).toBe(404)
})

test('of a caravan all plugins are stored, and the second time only those that are new', async () => {
  const first = await post(caravanOf([{ name: 'a' }, { name: 'b', version: '2.0' }]))
  expect(first).toMatchObject({ status: 201, body: { metadata: { pagination: { total: 2 } } } })
  expect(first.body.items.map((one: { package_name: string }) => one.package_name)).toEqual(['a', 'b'])
  expect(first.body.items[1]).toMatchObject({
    yaml_url_path: 'plugin:b?version=2.0',
    archive_name: 'b-2.0-py311-none-any.wgn',
  })
  const again = await post(gzipSync(caravanOf([{ name: 'a' }, { name: 'c' }])))
  expect(again.body.items.map((one: { package_name: string }) => one.package_name)).toEqual(['c'])
  expect((await post(caravanOf([{ name: 'd' }]), 'id=one')).status).toBe(400)
})

test('of a caravan with one wrong wagon nothing is stored', async () => {
  const answer = await post(caravanOf([{ name: 'a' }, { name: 'b', metadata: { package_version: '../1' } }]))
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_plugin_error' } })
  expect((await get('/plugins')).body.items).toEqual([])
})

test('fetches a plugin from an address', async () => {
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/p.zip' ? 200 : 404
    response.end(url === '/p.zip' ? pluginZip() : 'nothing')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    expect(await post(undefined, `plugin_archive_url=${at}/p.zip`)).toMatchObject({
      status: 201,
      body: { package_name: 'test-plugin' },
    })
    expect(await post(undefined, `plugin_archive_url=${at}/none`)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('404') },
    })
    expect((await post(pluginZip(), `plugin_archive_url=${at}/p.zip`)).status).toBe(400)
    expect((await post(undefined)).body.message).toContain('Missing plugin archive')
  } finally {
    server.close()
  }
})

test('what is restored keeps its id, its time and its owner', async () => {
  const query = 'id=abc&uploaded_at=2020-01-02T03:04:05.678Z&created_by=uma'
  const { status, body } = await post(pluginZip(), query)
  expect(status).toBe(201)
  expect(body).toMatchObject({ id: 'abc', uploaded_at: '2020-01-02T03:04:05.678Z', created_by: 'uma' })
  const other = { name: 'other' }
  for (const [wrong, code] of [
    ['created_by=nobody', 400],
    ['uploaded_at=yesterday', 400],
    ['id=a%2Fb', 400],
    ['id=abc', 409],
  ] as const) {
    expect((await post(pluginZip(other), wrong)).status, wrong).toBe(code)
  }
  for (const wrong of ['created_by=admin', 'uploaded_at=2020-01-02T03:04:05.678Z', 'visibility=global']) {
    expect((await post(pluginZip(other), wrong, { user: 'uma' })).status, wrong).toBe(403)
  }
  expect((await post(pluginZip(other), '', { user: 'vera' })).status).toBe(403)
})

test('one plugin is uploaded once: by its wagon, or its version for the same machines', async () => {
  const centos = { build_server_os_properties: { distribution: 'centos', distribution_version: '7' } }
  expect((await post(pluginZip())).status).toBe(201)
  const same = await post(pluginZip())
  expect(same).toMatchObject({ status: 409, body: { error_code: 'conflict_error' } })
  expect((await post(pluginZip({ metadata: { archive_name: 'other.wgn' } }))).status).toBe(409)
  expect((await post(pluginZip({ version: '1.1' }))).status).toBe(201)
  expect(
    (await post(pluginZip({ version: '1.2', metadata: { archive_name: archiveNameOf() } }))).status,
  ).toBe(409)
  expect((await post(pluginZip({ metadata: { archive_name: 'centos.wgn', ...centos } }))).status).toBe(201)
  expect(
    (await post(pluginZip({ metadata: { archive_name: 'arm.wgn', supported_platform: 'linux_aarch64' } })))
      .status,
  ).toBe(201)
})

test('of many uploads of one plugin at once one is stored', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => post(pluginZip())))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  expect((await get('/plugins')).body.items).toHaveLength(1)
  expect(leftOver()).toEqual([])
})

test('a global plugin is the only one of all tenants, others have their own', async () => {
  await addTenant(system.db, 'other')
  expect((await post(pluginZip(), '', { tenant: 'other' })).status).toBe(201)
  const { body } = await post(pluginZip())
  expect(
    (await system.inject('PATCH', `/plugins/${body.id}/set-visibility`, { body: { visibility: 'global' } }))
      .body,
  ).toMatchObject({ visibility: 'global' })
  const [own] = (await system.inject('GET', '/plugins?visibility=tenant', { tenant: 'other' })).body.items
  expect(
    await system.inject('PATCH', `/plugins/${own.id}/set-visibility`, {
      tenant: 'other',
      body: { visibility: 'global' },
    }),
  ).toMatchObject({ status: 409 })
  expect(
    (await post(pluginZip({ metadata: { archive_name: 'x.wgn' } }), '', { tenant: 'other' })).status,
  ).toBe(409)
})

test('the full archive is a zip of all that came, and can be uploaded again', async () => {
  const files = { 'plugin.yaml': pluginYaml(), 'plugin_1_5.yaml': pluginYaml(), 'icon.png': png() }
  const { body } = await post(pluginZip({}, files))
  const { bytes, headers } = await download(`/plugins/${body.id}/archive?full_archive=true`)
  expect(headers.get('content-disposition')).toBe('attachment; filename="plugin_archive.zip"')
  expect(headers.get('content-length')).toBe(String(bytes.length))
  const folder = mkdtempSync(join(tmpdir(), 'tutti-full-archive-'))
  try {
    writeFileSync(join(folder, 'a.zip'), bytes)
    const program =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(",".join(sorted(z.namelist())))'
    const python = spawnSync('python3', ['-c', program, join(folder, 'a.zip')], { encoding: 'utf8' })
    expect(python.stdout.trim()).toBe(
      ['icon.png', 'plugin.yaml', 'plugin_1_5.yaml', archiveNameOf()].sort().join(','),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
  await system.inject('DELETE', `/plugins/${body.id}`)
  const again = await post(bytes, `id=${body.id}`)
  expect(again.body).toEqual({
    ...body,
    created_at: again.body.created_at,
    uploaded_at: again.body.uploaded_at,
  })
})

test.each([
  ['no dsl version', '', 'plugin_1_4.yaml'],
  ['one of its own', '?dsl_version=1_4', 'plugin_1_4.yaml'],
  ['a newer one', '?dsl_version=cloudify_dsl_1_5', 'plugin_1_4.yaml'],
  ['a middle one', '?dsl_version=1_3', 'plugin_1_2.yaml'],
  ['an older one', '?dsl_version=1.1', 'plugin.yaml'],
])('for %s the YAML file is that of the language', async (_what, query, name) => {
  const files = Object.fromEntries(
    ['plugin.yaml', 'plugin_1_2.yaml', 'plugin_1_4.yaml'].map((file) => [
      file,
      pluginYaml({}, { metadata: { file } }),
    ]),
  )
  const { body } = await post(pluginZip({}, files))
  const answer = await get(`/plugins/${body.id}/yaml${query}`)
  expect(JSON.parse(answer.text).metadata.file).toBe(name)
  expect(answer.headers['content-disposition']).toBe(`attachment; filename="${name}"`)
})

test('for blueprints of 1_3 a file that is newer is made into an older one, which nobody else gets', async () => {
  const yaml = pluginYaml(
    {},
    {
      tosca_definitions_version: 'cloudify_dsl_1_5',
      data_types: { d: { properties: { n: { type: 'node_id' } } } },
    },
  )
  const { body } = await post(pluginZip({}, { 'plugin.yaml': yaml }))
  expect(body.yaml_files_paths).toEqual([`/resources/plugins/${body.id}/plugin.yaml`])
  const older = (await get(`/plugins/${body.id}/yaml?dsl_version=1_3`)).text
  expect(older).toContain('cloudify_dsl_1_3')
  expect(older).toContain('type: string')
  expect((await get(`/plugins/${body.id}/yaml?dsl_version=1_4`)).text).toBe(yaml)
  expect((await get(`/plugins/${body.id}/yaml`)).text).toBe(yaml)
  expect((await get(`/plugins/${body.id}/yaml?dsl_version=new`)).status).toBe(400)
})

test('nothing else runs on while a snapshot is made', async () => {
  await sql`insert into executions (tenant_id, id, workflow_id, status, is_system_workflow, created_by)
    values (0, 'snapshot', 'create_snapshot', 'queued', true, 'admin')`.execute(system.db)
  try {
    expect(await post(pluginZip())).toMatchObject({
      status: 400,
      body: { error_code: 'existing_running_execution_error' },
    })
  } finally {
    await sql`delete from executions where id = 'snapshot'`.execute(system.db)
  }
})

test('a tar without a wagon is refused as always', async () => {
  const text = 'input can be only a wagon or a zip file.'
  for (const bytes of [Buffer.from('no archive'), tarOf({ name: 'a/b', content: 'c' }), gzipSync('no tar')]) {
    expect(await post(bytes)).toMatchObject({
      status: 400,
      body: { error_code: 'invalid_plugin_error', message: text },
    })
  }
})

test('the file server has its files, for those who see the plugin', async () => {
  const { body } = await post(
    pluginZip({}, { 'plugin.yaml': pluginYaml(), 'icon.png': png() }),
    'visibility=private',
  )
  const folder = `/resources/plugins/${body.id}`
  const file = (name: string, user = 'admin') =>
    system.inject('GET', `${folder}/${name}`, { user, tenant: null })
  expect((await file('plugin.yaml')).text).toBe(pluginYaml())
  expect((await file('icon.png')).headers['content-type']).toBe('image/png')
  expect((await file('')).body.files).toEqual(['icon.png', 'plugin.yaml', archiveNameOf()].sort())
  expect((await file(archiveNameOf())).headers['content-length']).toBe(String(wagonOf().length))
  for (const name of ['none.yaml', 'plugin.yaml/x', '../plugins'])
    expect((await file(name)).status, name).toBe(404)
  expect((await file('plugin.yaml', 'vera')).status).toBe(404)
  await system.inject('PATCH', `/plugins/${body.id}/set-visibility`, { body: { visibility: 'tenant' } })
  expect((await file('plugin.yaml', 'vera')).status).toBe(200)
  const authorized = (user: string) =>
    system.send('GET', '/file-server-auth', { user, headers: { 'x-original-uri': `${folder}/icon.png` } })
  expect((await authorized('vera')).status).toBe(200)
  await addUser(system.db, 'nemo')
  expect((await file('plugin.yaml', 'nemo')).status).toBe(404)
  expect((await authorized('nemo')).status).toBe(403)
})
