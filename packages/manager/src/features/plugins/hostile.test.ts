import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { paxEntry, tarOf, zipOf } from '../../../test/archives.ts'
import { addTenant } from '../../../test/fixtures.ts'
import {
  archiveNameOf,
  pluginYaml,
  pluginZip,
  type TestWagon,
  wagonEntries,
  wagonOf,
} from '../../../test/plugin-archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem({
    allowPrivateAddresses: false,
    maxArchiveBytes: 2_000_000,
    maxUnpackedBytes: 20_000_000,
    maxUnpackedEntries: 3_000,
  })
})
afterAll(() => system.close())

const upload = (body: Uint8Array) => system.send('POST', '/plugins', { body })
const leftOver = () =>
  readdirSync(system.services.uploadFolder).filter((name) => /^(plugin-)?[0-9a-f-]{36}/.test(name))
const metadata = (changes: Readonly<Record<string, unknown>>, wagon: TestWagon = {}) =>
  wagonOf({ ...wagon, metadata: changes })
const wheels = (count: number) =>
  Array.from({ length: count }, (_, index) => `test_plugin-1.${index}-py3-none-any.whl`)
const inside = (wagon: Buffer) =>
  zipOf({ name: 'a.wgn', content: wagon }, { name: 'plugin.yaml', content: pluginYaml() })
const top = (...entries: ReturnType<typeof wagonEntries>) => gzipSync(tarOf(...wagonEntries(), ...entries))
const yaml = (text: string) => pluginZip({}, { 'plugin.yaml': text })
const caravan = (content: unknown, ...more: ReturnType<typeof wagonEntries>) =>
  tarOf(
    { name: 'c/METADATA', content: typeof content === 'string' ? content : JSON.stringify(content) },
    { name: 'c/a.wgn', content: wagonOf() },
    { name: 'c/plugin.yaml', content: pluginYaml() },
    ...more,
  )

const bomb = (lines: number) =>
  ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    .concat(
      Array.from({ length: lines }, (_, index) => {
        const all = Array.from({ length: 10 }, () => `*a${index}`).join(', ')
        return `a${index + 1}: &a${index + 1} [${all}]`
      }),
    )
    .join('\n')

test.each<[string, () => Uint8Array, RegExp]>([
  // Archives.
  ['a path outside', () => top({ name: '../evil', content: 'x' }), /leads out of the archive/],
  ['an absolute path', () => gzipSync(tarOf(...paxEntry('/etc/evil', 'x'))), /absolute path/],
  [
    'a symbolic link',
    () => top({ name: 'test-plugin/wheels/l', type: '2', linkTo: '/etc/passwd' }),
    /is a link/,
  ],
  ['a hard link', () => top({ name: 'test-plugin/l', type: '1', linkTo: '/etc/passwd' }), /is a link/],
  ['a device', () => top({ name: 'test-plugin/d', type: '3' }), /neither a file nor a directory/],
  [
    'a wagon in a zip with a path outside',
    () => inside(top({ name: '../../evil', content: 'x' })),
    /wagon a\.wgn cannot be unpacked: .*leads out/,
  ],
  ['a zip with a path outside', () => zipOf({ name: '../a.wgn', content: wagonOf() }), /leads out/],
  [
    'a zip with a link for a wagon',
    () => zipOf({ name: 'a.wgn', content: '/etc/passwd', mode: 0o120777 }),
    /is a link/,
  ],
  [
    'a bomb',
    () => top({ name: 'test-plugin/zeros', content: Buffer.alloc(19_000_000) }),
    /unpacks to more than/,
  ],
  [
    'a bomb in a zip',
    () => inside(top({ name: 'test-plugin/zeros', content: Buffer.alloc(19_000_000) })),
    /wagon a\.wgn cannot be unpacked: .*unpacks to more/,
  ],
  ['too many files', () => wagonOf({ wheels: wheels(3_001) }), /more than 3000 files/],
  ['too many wheels', () => wagonOf({ wheels: wheels(1_001) }), /1001 wheels: no more than 1000/],
  ['what is cut off', () => wagonOf().subarray(0, 100), /damaged or was cut off/],
  [
    'two wagons',
    () => zipOf({ name: 'a.wgn', content: wagonOf() }, { name: 'b.wgn', content: wagonOf() }),
    /must include one wgn file/,
  ],
  ['no wagon', () => zipOf({ name: 'plugin.yaml', content: pluginYaml() }), /must include one wgn file/],
  [
    'a wagon in a folder',
    () => zipOf({ name: 'f/a.wgn', content: wagonOf() }, { name: 'x', content: 'x' }),
    /must include one wgn file/,
  ],
  ['a wagon that is none', () => inside(Buffer.from('nothing')), /wagon a\.wgn cannot be unpacked/],
  [
    'a wagon of two folders',
    () => inside(gzipSync(tarOf(...wagonEntries(), { name: 'other/x', content: 'x' }))),
    /exactly 1 directory/,
  ],
  [
    'a wagon without metadata',
    () => inside(gzipSync(tarOf({ name: 'test-plugin/x', content: 'x' }))),
    /no file package\.json/,
  ],
  [
    'metadata that is a folder',
    () => inside(gzipSync(tarOf({ name: 'p/package.json/x', content: 'x' }))),
    /no file package\.json/,
  ],
  // Metadata.
  [
    'metadata that is huge',
    () => metadata({ x: randomBytes(800_000).toString('base64') }),
    /no more than 1048576 are read/,
  ],
  [
    'metadata that is no JSON',
    () => gzipSync(tarOf({ name: 'p/package.json', content: '{' })),
    /not valid JSON/,
  ],
  [
    'metadata that is a list',
    () => gzipSync(tarOf({ name: 'p/package.json', content: '[]' })),
    /must hold an object/,
  ],
  ['no name', () => metadata({ package_name: undefined }), /has no package_name/],
  ['no version', () => metadata({ package_version: null }), /has no package_version/],
  ['no archive name', () => metadata({ archive_name: undefined }), /has no archive_name/],
  [
    'a name that is a path',
    () => metadata({ package_name: '../evil' }),
    /package_name .* must be the name of a Python package, got "\.\.\/evil"/,
  ],
  ['a name of dots', () => metadata({ package_name: '..' }), /package_name/],
  ['a name that is no text', () => metadata({ package_name: 5 }), /package_name/],
  ['a version that is a path', () => metadata({ package_version: '1/../../x' }), /package_version/],
  [
    'a version that is long',
    () => metadata({ package_version: '1'.repeat(200) }),
    /package_version .* no longer than 128/,
  ],
  [
    'an archive name with a line break',
    () => metadata({ archive_name: 'a\r\nset-cookie: x' }),
    /archive_name/,
  ],
  ['an archive name that is a path', () => metadata({ archive_name: '../../x.wgn' }), /archive_name/],
  [
    'a platform that is no text',
    () => metadata({ supported_platform: ['any'] }),
    /supported_platform .* must be a text/,
  ],
  [
    'a distribution that is no text',
    () => metadata({ build_server_os_properties: { distribution: {} } }),
    /distribution .* must be a text/,
  ],
  [
    'properties that are no object',
    () => metadata({ build_server_os_properties: 'x' }),
    /build_server_os_properties .* must be an object/,
  ],
  [
    'versions of Python that are no list',
    () => metadata({ supported_python_versions: 'py311' }),
    /supported_python_versions .* must be a list/,
  ],
  ['wheels that are no list', () => metadata({ wheels: {} }), /wheels .* must be a list/],
  [
    'a wheel that is a path',
    () => metadata({ wheels: ['../../x.whl'] }),
    /wheels .* must be the plain name of a wheel/,
  ],
  [
    'a wheel that is an option',
    () => metadata({ wheels: ['--target=x.whl'] }),
    /wheels .* must be the plain name of a wheel/,
  ],
  [
    'a wheel that is not there',
    () => metadata({ wheels: ['other-1.0-py3-none-any.whl'] }),
    /has no file wheels\/other/,
  ],
  [
    'no wheel of the package',
    () => wagonOf({ wheels: ['other-1.0-py3-none-any.whl'] }),
    /no wheel of that package/,
  ],
  ['no wheels', () => wagonOf({ wheels: [] }), /no wheel of that package/],
  ['a NUL in the metadata', () => metadata({ package_source: 'a\0b' }), /package_source .* must be a text/],
  // YAML and icon.
  [
    'YAML of another package',
    () => yaml(pluginYaml({ name: 'other' })),
    /declares other, but the wagon is test-plugin/,
  ],
  [
    'one YAML of another package among others',
    () => pluginZip({}, { 'plugin.yaml': pluginYaml(), 'plugin_1_4.yaml': pluginYaml({ name: 'other' }) }),
    /plugin_1_4\.yaml declares other/,
  ],
  ['YAML without plugins', () => yaml('node_types: {}'), /declares no package/],
  ['YAML that is none', () => yaml('a: [b'), /plugin\.yaml/],
  ['YAML that is a list', () => yaml('[1]'), /should hold a mapping/],
  ['plugins that are a list', () => yaml('plugins: [x]'), /plugins should be a dict/],
  ['a plugin that is a text', () => yaml('plugins: {a: b}'), /should be a dict but is a string/],
  ['YAML that is a bomb', () => yaml(`${pluginYaml()}\n${bomb(9)}`.replace(/^.*\n/, '')), /values|aliases/],
  [
    'labels of another form',
    () => yaml(pluginYaml({}, { labels: { env: ['prod'] } })),
    /labels\.env should be \{values/,
  ],
  [
    'labels that are a list',
    () => yaml(pluginYaml({}, { blueprint_labels: [] })),
    /blueprint_labels should be a dict/,
  ],
  [
    'tags that are a text',
    () => yaml(pluginYaml({}, { resource_tags: 'x' })),
    /resource_tags should be a dict/,
  ],
  [
    'a version of the language that is none',
    () => yaml(pluginYaml({}, { tosca_definitions_version: 'cloudify_dsl_9' })),
    /Unexpected tosca_definitions_version/,
  ],
  [
    'YAML that is large',
    () => yaml(`#${'x'.repeat(8 * 2 ** 20)}\n${pluginYaml()}`),
    /plugin\.yaml is too large/,
  ],
  [
    'YAML with a name that does not fit a header',
    () => pluginZip({}, { 'a"\r\nb.yaml': pluginYaml() }),
    /name of the YAML file/,
  ],
  [
    'an icon that is none',
    () => pluginZip({}, { 'plugin.yaml': pluginYaml(), 'icon.png': '<svg/>' }),
    /icon\.png is no PNG image/,
  ],
  // Caravans.
  [
    'a caravan that leads outside',
    () => caravan({ '../../etc/passwd': 'plugin.yaml' }),
    /names "\.\.\/\.\.\/etc\/passwd", which is not in it/,
  ],
  ['a caravan of an absolute path', () => caravan({ 'a.wgn': '/etc/hostname' }), /names "\/etc\/hostname"/],
  ['a caravan of what is not there', () => caravan({ 'b.wgn': 'plugin.yaml' }), /names "b\.wgn"/],
  ['a caravan of nothing', () => caravan({}), /names 0 wagons/],
  ['a caravan of a list', () => caravan(['a.wgn']), /must be an object/],
  ['a caravan of numbers', () => caravan({ 'a.wgn': 7 }), /names no YAML file for a\.wgn/],
  ['a caravan with damaged METADATA', () => caravan('{"a'), /METADATA of the caravan cannot be read/],
])('%s is refused', async (_what, bytes, message) => {
  const { status, body } = await upload(bytes())
  expect(body.message).toMatch(message)
  expect({ status, code: body.error_code }).toEqual({ status: 400, code: 'invalid_plugin_error' })
  expect((await system.inject('GET', '/plugins')).body.items).toEqual([])
  expect(leftOver()).toEqual([])
})

test('what is too large is refused before it is read', async () => {
  const answer = await upload(randomBytes(2_000_001))
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error' } })
  expect(answer.body.message).toContain('larger than the allowed 2000000 bytes')
  expect(leftOver()).toEqual([])
})

test('of a sender who breaks off nothing is left', async () => {
  const socket = connect(Number(new URL(system.url).port), '127.0.0.1')
  const credentials = Buffer.from('admin:admin-password').toString('base64')
  socket.write(
    `POST /api/v3.1/plugins HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${credentials}\r\nTenant: default_tenant\r\n` +
      `Content-Length: 1000\r\n\r\nPK`,
  )
  await vi.waitFor(() => expect(leftOver()).not.toEqual([]), { timeout: 60_000, interval: 10 })
  socket.destroy()
  await vi.waitFor(() => expect(leftOver()).toEqual([]), { timeout: 60_000, interval: 10 })
  expect((await system.inject('GET', '/plugins')).body.items).toEqual([])
})

test('addresses on this machine are not fetched, and no credentials of them are shown', async () => {
  const answer = await system.send(
    'POST',
    `/plugins?plugin_archive_url=${encodeURIComponent('http://user:secret@127.0.0.1:1/p.zip')}`,
  )
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error' } })
  expect(answer.body.message).toContain('private address')
  expect(answer.text).not.toContain('secret')
})

test('nobody installs, says the state of or deletes another tenant’s plugin', async () => {
  await addTenant(system.db, 'away')
  const answer = await system.send('POST', '/plugins?visibility=global', { body: pluginZip() })
  expect(answer.status).toBe(201)
  const path = `/plugins/${answer.body.id}`
  const away = { tenant: 'away' }
  for (const [method, body] of [
    ['POST', { action: 'install' }],
    ['PUT', { state: 'installed', manager: 'test' }],
    ['PATCH', { labels: {} }],
    ['DELETE', { force: true }],
  ] as const) {
    expect(await system.inject(method, path, { ...away, body }), method).toMatchObject({
      status: 400,
      body: { error_code: 'illegal_action_error' },
    })
  }
  expect((await system.inject('GET', `${path}/archive`, away)).status).toBe(200)
  expect((await system.inject('GET', path)).body).toMatchObject({
    installation_state: [],
    archive_name: archiveNameOf(),
  })
})
