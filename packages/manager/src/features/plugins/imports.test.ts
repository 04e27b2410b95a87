import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addTenant, addUser } from '../../../test/fixtures.ts'
import { pluginYaml, pluginZip, type TestWagon, wagonOf } from '../../../test/plugin-archives.ts'
import { type SentRequest, startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await addTenant(system.db, 'other')
  await addUser(system.db, 'uma', { tenants: { 0: 'user' } })
})
afterAll(() => system.close())
afterEach(() => sql`delete from plugins`.execute(system.db))

/** The YAML of a plugin whose node type has the version in a property. */
const typed = (wagon: TestWagon, content: Readonly<Record<string, unknown>> = {}) =>
  pluginYaml(wagon, {
    node_types: {
      'test.Thing': {
        derived_from: 'cloudify.nodes.Root',
        properties: { from: { default: `${wagon.version ?? '1.0'}` } },
        interfaces: { 'cloudify.interfaces.lifecycle': { create: 'test.tasks.create' } },
      },
    },
    ...content,
  })

async function uploaded(wagon: TestWagon, query = '', request: SentRequest = {}, yaml = typed(wagon)) {
  const answer = await system.send('POST', `/plugins?${query}`, {
    ...request,
    body: pluginZip(wagon, { 'plugin.yaml': yaml }),
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

let next = 0
type Put = { readonly namespace?: string; readonly dsl?: string; readonly content?: object }

function put(
  line: unknown,
  { namespace = '', dsl = 'cloudify_dsl_1_5', content = {} }: Put = {},
  request: SentRequest = {},
) {
  const text = blueprintText({
    tosca_definitions_version: dsl,
    imports: ['cloudify/types/types.yaml', line],
    node_templates: { one: { type: `${namespace}test.Thing` } },
    ...content,
  })
  next += 1
  return system.send('PUT', `/blueprints/b${next}`, { ...request, body: blueprintArchive(text) })
}
const fromOf = ({ body }: Awaited<ReturnType<typeof put>>) =>
  body.plan?.nodes[0].properties.from ?? body.message

test('an import takes the newest version that fits, of this tenant first and of what is global', async () => {
  await uploaded({ version: '1.2' })
  await uploaded({ version: '1.10' })
  await uploaded({ version: '2.0rc1' })
  const distribution = { build_server_os_properties: { distribution: 'centos' }, archive_name: 'c.wgn' }
  await uploaded({ version: '1.5', metadata: distribution })
  await uploaded({ version: '9.0' }, '', { tenant: 'other' })
  await uploaded({ version: '3.0' }, 'visibility=private', { user: 'uma' })
  expect(fromOf(await put('plugin:test-plugin'))).toBe('3.0')
  const asked = (line: string, request: SentRequest = {}) => put(line, {}, request).then(fromOf)
  await addUser(system.db, `vic${next}`, { tenants: { 0: 'user' } })
  const vic = { user: `vic${next}` }
  expect(await asked('plugin:test-plugin', vic)).toBe('2.0rc1')
  expect(await asked('plugin:test-plugin?version=>=1,<2', vic)).toBe('1.10')
  expect(await asked('plugin:test-plugin?version= >=1 , <1.10', vic)).toBe('1.5')
  expect(await asked('plugin:test-plugin?version=1.2', vic)).toBe('1.2')
  expect(await asked('plugin:test-plugin?version=>1&version=<1.5', vic)).toBe('1.2')
  expect(await asked('plugin:test-plugin?distribution=centos', vic)).toBe('1.5')
  expect(await asked('plugin:test-plugin?version=>=9', vic)).toMatch(
    /Plugin test-plugin \(version >=9\).*no such plugin is uploaded/,
  )
  expect(await asked('plugin:none', vic)).toMatch(/Plugin none \(any version\).*no such plugin is uploaded/)
  expect(await asked('plugin:test-plugin?other=1', vic)).toMatch(/other/)
  await uploaded({ version: '4.0' }, 'visibility=global', { tenant: 'other' })
  expect(await asked('plugin:test-plugin', vic)).toBe('4.0')
})

test('what has no YAML file is passed over, and one for newer blueprints alone is said to be that', async () => {
  await uploaded({ version: '1.0' })
  const bare = await system.send('POST', '/plugins', { body: wagonOf({ version: '2.0' }) })
  expect(bare.status).toBe(201)
  expect(fromOf(await put('plugin:test-plugin'))).toBe('1.0')
  const newer = { name: 'newer' }
  const zip = pluginZip(newer, { 'plugin_1_5.yaml': typed(newer) })
  expect((await system.send('POST', '/plugins', { body: zip })).status).toBe(201)
  expect((await put('plugin:newer')).status).toBe(201)
  expect((await put('plugin:newer', { dsl: 'cloudify_dsl_1_2' })).body.message).toContain(
    'has no YAML file for blueprints of cloudify_dsl_1_2',
  )
})

test('a blueprint gets the file for its own version of the language', async () => {
  const wagon = {}
  const of = (version: string) => typed({ version })
  const zip = pluginZip(wagon, {
    'plugin.yaml': of('1.0'),
    'plugin_1_4.yaml': of('1.0').replaceAll('"default":"1.0"', '"default":"for 1_4"'),
    'plugin_1_3.yaml': of('1.0').replaceAll('"default":"1.0"', '"default":"for 1_3"'),
  })
  expect((await system.send('POST', '/plugins', { body: zip })).status).toBe(201)
  expect(fromOf(await put('plugin:test-plugin', { dsl: 'cloudify_dsl_1_5' }))).toBe('for 1_4')
  expect(fromOf(await put('plugin:test-plugin', { dsl: 'cloudify_dsl_1_3' }))).toBe('for 1_3')
})

test('an older blueprint imports a newer file in its older form', async () => {
  const yaml = typed({}, { tosca_definitions_version: 'cloudify_dsl_1_5' })
  await uploaded({}, '', {}, yaml)
  expect(fromOf(await put('plugin:test-plugin', { dsl: 'cloudify_dsl_1_3' }))).toBe('1.0')
  expect((await put('plugin:test-plugin', { dsl: 'cloudify_dsl_1_4' })).body.message).toContain('newer than')
})

test('labels and tags of the record go before those of the YAML, under a namespace too', async () => {
  const yaml = typed(
    {},
    {
      labels: { env: { values: ['yaml'] } },
      blueprint_labels: { kind: { values: ['yaml'] } },
      resource_tags: { owner: 'yaml' },
    },
  )
  const { id } = await uploaded({}, '', {}, yaml)
  await system.inject('PATCH', `/plugins/${id}`, {
    body: { labels: { env: ['stored'] }, blueprint_labels: { kind: { values: ['stored'] } } },
  })
  for (const [line, namespace] of [
    ['plugin:test-plugin', ''],
    ['ns--plugin:test-plugin', 'ns--'],
  ] as const) {
    const { body } = await put(line, { namespace })
    expect(body.message).toBeUndefined()
    expect(JSON.stringify(body.plan.labels)).toContain('stored')
    expect(JSON.stringify(body.plan.labels)).not.toContain('yaml')
    expect(body.labels).toMatchObject([{ value: 'stored' }])
    expect(JSON.stringify(body.plan.resource_tags)).toContain('yaml')
    expect(body.plan.deployment_plugins_to_install).toMatchObject([
      { name: `${namespace}test`, package_name: 'test-plugin', package_version: '1.0' },
    ])
  }
})

test('import properties become values of the plugin', async () => {
  const yaml = JSON.stringify({
    ...JSON.parse(typed({})),
    plugins: {
      test: {
        executor: 'central_deployment_agent',
        package_name: 'test-plugin',
        package_version: '1.0',
        properties: { region: { type: 'string' } },
      },
    },
  })
  await uploaded({}, '', {}, yaml)
  const { body } = await put({ 'plugin:test-plugin': { region: 'eu' } })
  expect(body.message).toBeUndefined()
  expect(body.plan.deployment_plugins_to_install[0].properties.region).toMatchObject({ value: 'eu' })
  expect((await put({ 'plugin:test-plugin': { none: 'eu' } })).body.message).toContain(
    "has no property 'none'",
  )
})

test('a plugin that is used is deleted by force alone', async () => {
  const wagon = { name: 'used' }
  const { id } = await uploaded(wagon)
  const { body } = await put('plugin:used')
  const refused = await system.inject('DELETE', `/plugins/${id}`)
  expect(refused).toMatchObject({ status: 405, body: { error_code: 'plugin_in_use' } })
  expect(refused.body.message).toContain(body.id)
  expect((await system.inject('DELETE', `/plugins/${id}`, { body: { force: true } })).status).toBe(204)
  expect((await system.inject('GET', `/plugins/${id}`)).status).toBe(404)
  const { id: again } = await uploaded(wagon)
  await system.inject('DELETE', `/blueprints/${body.id}`)
  expect((await system.inject('DELETE', `/plugins/${again}`)).status).toBe(204)
})

test('a deployment needs its plugins, unless told not to look', async () => {
  const { id } = await uploaded({})
  const { body: blueprint } = await put('plugin:test-plugin')
  const create = (name: string, body: object = {}) =>
    system.inject('PUT', `/deployments/${name}`, { body: { blueprint_id: blueprint.id, ...body } })
  expect((await create('with')).status).toBe(201)
  await system.inject('DELETE', `/plugins/${id}?force=true`)
  const refused = await create('without')
  expect(refused).toMatchObject({ status: 400, body: { error_code: 'deployment_plugin_not_found' } })
  expect(refused.body.message).toBe(
    'Required plugin test-plugin, version 1.0 is not installed on the manager',
  )
  expect((await create('unseen', { skip_plugins_validation: true })).status).toBe(201)
  for (const deployment of ['with', 'unseen']) {
    const execution = await system.ended(await system.start(deployment, 'install'))
    expect(execution.status).toBe('failed')
    expect(execution.error).toMatch(
      /install is not begun.*tasks\.create of plugin "test" cannot run: test-plugin 1\.0 is not uploaded \(node one\)/,
    )
    expect(execution.finished_operations).toBe(0)
  }
})

test('somebody else’s private plugin is none, to a blueprint and to a deployment', async () => {
  await uploaded({}, 'visibility=private', { user: 'uma' })
  const { body } = await put('plugin:test-plugin', {}, { user: 'uma' })
  expect(body.state).toBe('uploaded')
  await addUser(system.db, 'zoe', { tenants: { 0: 'user' } })
  expect((await put('plugin:test-plugin', {}, { user: 'zoe' })).body.message).toContain('no such plugin')
  const create = (user: string) =>
    system.inject('PUT', `/deployments/of-${user}`, { user, body: { blueprint_id: body.id } })
  expect((await create('zoe')).body.error_code).toBe('deployment_plugin_not_found')
  expect((await create('uma')).status).toBe(201)
})
