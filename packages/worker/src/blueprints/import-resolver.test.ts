import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImportResolver, type ImportRules, type InstalledPlugin } from './import-resolver.ts'
import { importRulesOf } from './import-rules.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tutti-resolver-'))
  await mkdir(join(root, 'web', 'sub'), { recursive: true })
  await writeFile(join(root, 'web', 'sub', 'a.yaml'), 'a: 1')
  await writeFile(join(root, 'secret.yaml'), 'secret: 1')
  await mkdir(join(root, 'other'))
  await writeFile(join(root, 'other', 'main.yaml'), 'other: 1')
})
afterAll(() => rm(root, { recursive: true }))

const plugin = (version: string, distribution: string | null = null): InstalledPlugin => ({
  version,
  distribution,
  files: ['plugin.yaml', 'plugin_1_4.yaml'],
  derived: null,
  read: async (file) => `${version} ${file}`,
  stored: undefined,
})

const resolve = (plugins: readonly InstalledPlugin[] = [], importRules?: ImportRules) =>
  createImportResolver({
    name: 'web',
    folder: join(root, 'web'),
    fetchRules: {
      allowedHosts: [],
      allowPrivateAddresses: importRules !== undefined,
      maxBytes: 1000,
      timeoutMs: 10_000,
    },
    ...(importRules !== undefined && { importRules }),
    findBlueprint: async (id) =>
      id === 'other' ? { folder: join(root, 'other'), mainFile: 'main.yaml' } : undefined,
    findPlugins: async () => plugins,
  })

const file = (address: string) => ({ kind: 'file', address, remote: false }) as const

test('files of the archive are read, whatever lies outside is not there', async () => {
  expect(await resolve()(file('file:/web/sub/./a.yaml'))).toEqual({
    address: 'file:/web/sub/a.yaml',
    text: 'a: 1',
  })
  for (const outside of [
    'file:/web/../secret.yaml',
    'file:/web/sub/../../secret.yaml',
    'file:/etc/passwd',
    'file:/web/none.yaml',
  ]) {
    expect(await resolve()(file(outside)), outside).toBeNull()
  }
})

test('the built-in types come with the manager, published old ones too', async () => {
  const types = await resolve()({ kind: 'resource', path: 'cloudify/types/types.yaml' })
  expect(types?.text).toContain('cloudify.nodes.Root')
  expect(await resolve()({ kind: 'resource', path: '../package.json' })).toBeNull()
  const old = await resolve()({ kind: 'url', url: 'https://cloudify.co/spec/cloudify/5.0.5/types.yaml' })
  expect(old?.text).toContain('cloudify_dsl_1_3')
})

test('rules of the manager say where else addresses are looked for', async () => {
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/mirror/a.yaml' ? 200 : 404
    response.end('mirrored: 1')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const elsewhere = 'http://mirrored.invalid/'
  const read = (url: string, rules: ImportRules['rules'], fallback = true) =>
    resolve([], { rules, fallback })({ kind: 'url', url })
  try {
    const rules = [
      ['https://other.invalid', `${here}/nothing`],
      [elsewhere, `${here}/none/`],
      [elsewhere, `${here}/mirror/`],
    ] as const
    // Known by the name that the blueprint uses, so that files that are imported beside it are found by the rules too.
    expect(await read(`${elsewhere}a.yaml`, rules)).toEqual({
      address: `${elsewhere}a.yaml`,
      text: 'mirrored: 1',
    })
    expect(await read(`${here}/mirror/a.yaml`, rules)).toMatchObject({ text: 'mirrored: 1' })
    const misled = [[`${here}/mirror/`, `${here}/none/`]] as const
    expect(await read(`${here}/mirror/a.yaml`, misled)).toMatchObject({ text: 'mirrored: 1' })
    await expect(read(`${here}/mirror/a.yaml`, misled, false)).rejects.toThrow('404')
    // As the installation of the other manager has it: its files are the types of its releases.
    const standard = [['https://cloudify.co/spec', 'file:///opt/manager/resources/spec']] as const
    const types = await read('https://cloudify.co/spec/cloudify/5.0.5/types.yaml', standard)
    expect(types?.text).toContain('cloudify_dsl_1_3')
    for (const place of [`file://${root}/`, `${root}/`, 'file:///etc/']) {
      await expect(read(`${elsewhere}secret.yaml`, [[elsewhere, place]], false)).rejects.toThrow(/only types/)
    }
  } finally {
    server.close()
  }
})

test.each([
  [undefined, undefined],
  [{ cloudify: { workflows: {} } }, undefined],
  [{ cloudify: { import_resolver: { parameters: { rules: 'x' } } } }, undefined],
  [
    {
      cloudify: { import_resolver: { parameters: { rules: [{ a: 'b' }, 5, { c: 6 }, { '': 'd' }, null] } } },
    },
    { rules: [['a', 'b']], fallback: true },
  ],
  [
    { cloudify: { import_resolver: { parameters: { rules: [{ a: 'b' }, { a: 'c' }], fallback: false } } } },
    {
      rules: [
        ['a', 'b'],
        ['a', 'c'],
      ],
      fallback: false,
    },
  ],
])('of the provider context %j the rules are %j', (context, rules) => {
  expect(importRulesOf(context)).toEqual(rules)
})

test('addresses on this machine or in its network are refused', async () => {
  for (const url of [
    'http://127.0.0.1:1/a.yaml',
    'http://[::1]/a.yaml',
    'http://169.254.169.254/x',
    'http://localhost/a',
    'ftp://x/y',
  ]) {
    await expect(resolve()({ kind: 'url', url }), url).rejects.toThrow(/private address|only http/)
  }
})

const pluginImport = (versions: readonly string[], distribution: string | null = null) =>
  ({
    kind: 'plugin',
    location: 'plugin:aws',
    name: 'aws',
    versions,
    distribution,
    mainVersion: [1, 4],
  }) as const

test('of the uploaded plugins the newest that fits is imported, with the file for the version of the blueprint', async () => {
  const plugins = [plugin('1.2'), plugin('1.10'), plugin('2.0'), plugin('1.11', 'centos')]
  expect((await resolve(plugins)(pluginImport(['>=1', '<2'])))?.text).toBe('1.11 plugin_1_4.yaml')
  expect((await resolve(plugins)(pluginImport(['>=1', '<2'], 'centos')))?.text).toBe('1.11 plugin_1_4.yaml')
  await expect(resolve(plugins)(pluginImport(['>=3']))).rejects.toThrow('no such plugin is uploaded')
  await expect(resolve()(pluginImport([]))).rejects.toThrow('Plugin aws (any version)')
})

test('another blueprint is imported from its own folder', async () => {
  const resolver = resolve()
  expect((await resolver({ kind: 'blueprint', id: 'other' }))?.text).toBe('other: 1')
  await expect(resolver({ kind: 'blueprint', id: 'none' })).rejects.toThrow('was not found')
})

test('a link that leads out of the archive is not followed', async () => {
  await symlink(join(root, 'secret.yaml'), join(root, 'web', 'link.yaml'))
  expect(await resolve()(file('file:/web/link.yaml'))).toBeNull()
})
