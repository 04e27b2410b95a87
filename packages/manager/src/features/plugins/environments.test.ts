import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { notify } from '@tutti/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'
import { storePlugin, type TestWagon } from '../../../test/wagons.ts'

/** Operations of plugins, in environments that the worker makes of their wagons (docs/reference/plugins.md). */
let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.close())

/** A plugin in the shape of those for clouds: a library of its own, one that it needs, and the SDK. */
const cloud = (version: string): TestWagon => ({
  name: 'cloud-plugin',
  version,
  wheels: [
    {
      name: 'cloud-plugin',
      version,
      requires: ['cloud-sdk>=1.2', 'cloudify-common>=7.0.2'],
      files: {
        'cloud_plugin/__init__.py': '',
        'cloud_plugin/server.py': `
import sys
from cloudify import ctx
from cloudify.decorators import operation
from cloudify.exceptions import OperationRetry
from cloud_sdk import client

@operation(resumable=True)
def create(name, **_):
    ctx.instance.runtime_properties.update(
        id=client.Client().create(name), version='${version}', prefix=sys.prefix,
        plugin=[ctx.plugin.name, ctx.plugin.package_version, ctx.plugin.tenant_name, ctx.plugin.visibility])

@operation
def start(**_):
    if ctx.operation.retry_number == 0:
        raise OperationRetry('not yet', retry_after=0)
    ctx.instance.runtime_properties['started'] = True
`,
      },
    },
    {
      name: 'cloud-sdk',
      version: '1.3',
      requires: ['Deep.Wide'],
      files: {
        'cloud_sdk/__init__.py': '',
        'cloud_sdk/client.py': 'from deep_wide import made\nclass Client:\n    create = staticmethod(made)',
      },
    },
    {
      name: 'Deep.Wide',
      version: '0.1',
      files: { 'deep_wide.py': 'def made(name):\n    return "made-" + name' },
    },
  ],
})

const cloudPlugin = (version: string | null = null) => ({
  cloud: {
    executor: 'central_deployment_agent',
    package_name: 'cloud-plugin',
    ...(version === null ? {} : { package_version: version }),
  },
})

const server = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'cloudify.nodes.Root',
  interfaces: {
    'cloudify.interfaces.lifecycle': {
      create: { implementation: 'cloud.cloud_plugin.server.create', inputs: { name: 'web' } },
      start: 'cloud.cloud_plugin.server.start',
      ...more,
    },
  },
})

let made = 0
/** Deploys a blueprint of this content; answers the id. */
async function deployed(content: Readonly<Record<string, unknown>>, files = {}): Promise<string> {
  made += 1
  const id = `d${made}`
  await system.upload(id, blueprintArchive(blueprintText(content), files))
  await system.deploy(id, id, { skip_plugins_validation: true })
  return id
}

const installed = async (id: string) => system.ended(await system.start(id, 'install'))

const propertiesOf = async (id: string) =>
  (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body.items.map(
    (item: { runtime_properties: Record<string, unknown> }) => item.runtime_properties,
  )

const messagesOf = async (executionId: string): Promise<readonly string[]> =>
  (
    await system.inject('GET', `/events?execution_id=${executionId}&type=cloudify_log&_size=200`)
  ).body.items.map(({ message }: { message: string }) => message)

const environments = () =>
  readdirSync(join(system.services.settings.dataFolder, 'plugin-environments')).filter(
    (name) => name !== '.tutti',
  )

const stateOf = (id: string) =>
  system.db
    .selectFrom('plugin_states')
    .select(['manager', 'state', 'error'])
    .where('plugin_id', '=', id)
    .executeTakeFirst()

describe('a plugin', () => {
  test('is installed once, for all operations that want it at once, and says so', async () => {
    const { id: pluginId } = await storePlugin(system.db, cloud('1.0'))
    const id = await deployed({
      plugins: cloudPlugin('1.0'),
      node_templates: Object.fromEntries([...'abcdefgh'].map((name) => [name, server()])),
    })
    const execution = await installed(id)
    expect(execution).toMatchObject({ status: 'terminated', error: '' })
    const properties = await propertiesOf(id)
    expect(properties).toHaveLength(8)
    for (const one of properties) {
      expect(one).toMatchObject({
        id: 'made-web',
        started: true,
        plugin: ['cloud', '1.0', 'default_tenant', 'tenant'],
      })
    }
    expect(new Set(properties.map(({ prefix }: { prefix: string }) => prefix)).size).toBe(1)
    expect(environments()).toHaveLength(1)
    expect((await messagesOf(execution.id)).filter((text) => text.includes('cloud-plugin'))).toEqual([
      'Installing plugin cloud-plugin 1.0 on test',
      'Installed plugin cloud-plugin 1.0 on test',
    ])
    expect(await stateOf(pluginId)).toEqual({ manager: 'test', state: 'installed', error: null })
  })

  test('is there in several versions side by side, the newest where none is said', async () => {
    await storePlugin(system.db, cloud('1.0.1'))
    await storePlugin(system.db, cloud('1.0.2'))
    const [one, other] = await Promise.all([
      deployed({ plugins: cloudPlugin('1.0.1'), node_templates: { server: server() } }),
      deployed({ plugins: cloudPlugin(), node_templates: { server: server() } }),
    ])
    expect(await Promise.all([installed(one), installed(other)])).toMatchObject([
      { status: 'terminated' },
      { status: 'terminated' },
    ])
    expect([await propertiesOf(one), await propertiesOf(other)]).toMatchObject([
      [{ version: '1.0.1' }],
      [{ version: '1.0.2' }],
    ])
  })

  test('is installed again when somebody has removed its environment', async () => {
    await storePlugin(system.db, cloud('1.1'))
    const id = await deployed({ plugins: cloudPlugin('1.1'), node_templates: { server: server() } })
    expect(await installed(id)).toMatchObject({ status: 'terminated' })
    const [{ prefix }] = await propertiesOf(id)
    rmSync(prefix, { recursive: true })
    const parameters = { operation: 'cloudify.interfaces.lifecycle.create' }
    const again = await system.start(id, 'execute_operation', { parameters })
    expect(await system.ended(again)).toMatchObject({ status: 'terminated' })
    const [{ prefix: next }] = await propertiesOf(id)
    expect(next).not.toBe(prefix)
  })

  test('is installed when somebody asks for it, and uninstalled', async () => {
    const { tenantId, id } = await storePlugin(system.db, cloud('1.2'))
    expect(await system.inject('POST', `/plugins/${id}`, { body: { action: 'install' } })).toMatchObject({
      status: 200,
      body: { installation_state: [{ manager: 'test' }] },
    })
    await expect.poll(() => stateOf(id), { timeout: 60_000 }).toMatchObject({ state: 'installed' })
    await system.db
      .updateTable('plugin_states')
      .set({ state: 'pending-uninstall' })
      .where('plugin_id', '=', id)
      .execute()
    await notify(system.db, { kind: 'plugin_asked', tenantId, pluginId: id })
    await expect.poll(() => stateOf(id), { timeout: 60_000 }).toMatchObject({ state: 'uninstalled' })
  })

  test('with an original SDK in its wagon runs with that', async () => {
    await storePlugin(system.db, {
      name: 'old-plugin',
      wheels: [
        {
          name: 'old-plugin',
          requires: ['cloudify-common'],
          files: {
            'old_plugin.py': 'from cloudify import original\ndef create(**_):\n    return original()',
          },
        },
        {
          name: 'cloudify-common',
          version: '7.0.5',
          files: {
            'cloudify/__init__.py': 'def original():\n    return "original"',
            // As far as the protocol between a worker and the SDK goes.
            'cloudify/dispatch.py': `
import importlib, json, os, sys
if __name__ == '__main__':
    with open(os.path.join(sys.argv[1], 'input.json')) as source:
        given = json.load(source)
    module, function = given['cloudify_context']['task_name'].rsplit('.', 1)
    result = getattr(importlib.import_module(module), function)(**given['kwargs'])
    with open(os.path.join(sys.argv[1], 'output.json'), 'w') as target:
        json.dump({'type': 'result', 'payload': result}, target)
`,
          },
        },
      ],
    })
    const id = await deployed({
      plugins: { old: { executor: 'central_deployment_agent', package_name: 'old-plugin' } },
      node_templates: {
        one: {
          type: 'cloudify.nodes.Root',
          interfaces: { 'cloudify.interfaces.lifecycle': { create: 'old.old_plugin.create' } },
        },
      },
    })
    const execution = await installed(id)
    expect(execution).toMatchObject({ status: 'terminated', error: '' })
    const { items } = (await system.inject('GET', `/events?execution_id=${execution.id}&_size=100`)).body
    expect(items.map(({ message }: { message: string }) => message)).toContainEqual(
      expect.stringMatching(/succeeded.*create/),
    )
  })
})

describe('what cannot be installed fails its operation, and says why', () => {
  const failing = async (wagon: TestWagon | null, plugin: Readonly<Record<string, unknown>>, files = {}) => {
    if (wagon !== null) await storePlugin(system.db, wagon)
    const id = await deployed(
      {
        plugins: { it: { executor: 'central_deployment_agent', ...plugin } },
        node_templates: {
          one: {
            type: 'cloudify.nodes.Root',
            interfaces: {
              'cloudify.interfaces.lifecycle': {
                create: { implementation: 'it.module.create', max_retries: 0 },
              },
            },
          },
        },
      },
      files,
    )
    const execution = await installed(id)
    expect(execution.status).toBe('failed')
    const { items } = (
      await system.inject('GET', `/events?execution_id=${execution.id}&event_type=task_failed`)
    ).body
    return String(items[0]?.message)
  }

  test('a wagon for another platform', async () => {
    const text = await failing(
      {
        name: 'for-windows',
        wheels: [{ name: 'for-windows', tag: 'py3-none-win_amd64' }],
        said: { supported_platform: 'win_amd64' },
      },
      { package_name: 'for-windows' },
    )
    expect(text).toMatch(/for-windows 1\.0 could not be installed on test: .*win_amd64.*here is Python 3/)
    expect(text).toContain('tutti plugins pack')
    expect(await stateOf('for-windows-1.0')).toMatchObject({
      state: 'error',
      error: expect.stringContaining('win_amd64'),
    })
  })

  test('a wagon that lies about what it is', async () => {
    const text = await failing(
      { name: 'liar', wheels: [{ name: 'liar' }], said: { package_name: 'honest' } },
      { package_name: 'liar' },
    )
    expect(text).toContain("the wagon holds 'honest' '1.0'")
  })

  test('a module that is not in it', async () => {
    expect(
      await failing(
        { name: 'empty-plugin', wheels: [{ name: 'empty-plugin' }] },
        { package_name: 'empty-plugin' },
      ),
    ).toMatch(/module/)
  })

  test('sources that are not there, or not in the blueprint', async () => {
    expect(await failing(null, { source: '../../..' })).toContain('not in the blueprint')
    expect(await failing(null, { source: 'absent' })).toContain('could not be installed from its source')
  })
})

test('a plugin that is not to be installed runs in the worker itself', async () => {
  const id = await deployed({
    plugins: { own: { executor: 'central_deployment_agent', install: false } },
    node_templates: {
      one: {
        type: 'cloudify.nodes.Root',
        interfaces: {
          'cloudify.interfaces.lifecycle': {
            create: { implementation: 'own.os.path.join', inputs: { a: 'x' } },
            start: 'own.platform.python_version',
          },
        },
      },
    },
  })
  const execution = await installed(id)
  const { items } = (
    await system.inject('GET', `/events?execution_id=${execution.id}&event_type=task_failed`)
  ).body
  // It is found, and called as every function is.
  expect(items[0].message).toContain('unexpected keyword argument')
})

test('a plugin from a folder of the blueprint is installed by pip', async () => {
  const id = await deployed(
    {
      plugins: {
        mine: {
          executor: 'central_deployment_agent',
          source: 'mine',
          install_arguments: '--no-index --no-deps',
        },
      },
      node_templates: {
        one: {
          type: 'cloudify.nodes.Root',
          interfaces: { 'cloudify.interfaces.lifecycle': { create: 'mine.mine.tasks.create' } },
        },
      },
    },
    {
      // Built by itself, as neither setuptools nor a network is everywhere.
      'plugins/mine/pyproject.toml':
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
      'plugins/mine/backend.py': `
import os, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = 'mine-1.0-py3-none-any.whl'
    with zipfile.ZipFile(os.path.join(folder, name), 'w') as wheel:
        for path in ('mine/__init__.py', 'mine/tasks.py'):
            wheel.write(path)
        wheel.writestr('mine-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: mine\\nVersion: 1.0\\n')
        wheel.writestr('mine-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr('mine-1.0.dist-info/RECORD', 'mine/__init__.py,,\\nmine/tasks.py,,\\n')
    return name
`,
      'plugins/mine/mine/__init__.py': '',
      'plugins/mine/mine/tasks.py':
        "from cloudify import ctx\ndef create(**_):\n    ctx.instance.runtime_properties['done'] = __file__\n",
    },
  )
  expect(await installed(id)).toMatchObject({ status: 'terminated', error: '' })
  expect(await propertiesOf(id)).toEqual([
    { done: expect.stringContaining('plugin-environments/source-mine-') },
  ])
})

describe('a workflow of a plugin', () => {
  const flow = `
from cloudify.decorators import workflow

@workflow
def greet(ctx, name, **_):
    import helper
    graph = ctx.graph_mode()
    for instance in ctx.node_instances:
        graph.add_task(instance.execute_operation('own.call', kwargs={'name': helper.greeting(name)}))
    graph.execute()
`
  const wagon = (name: string, more: TestWagon['wheels'] = []): TestWagon => ({
    name,
    wheels: [
      {
        name,
        requires: ['helper', 'cloudify-common'],
        files: {
          'flows.py': flow,
          'calls.py':
            'from cloudify import ctx\ndef call(name, **_):\n    ctx.instance.runtime_properties["greeted"] = name',
        },
      },
      { name: 'helper', files: { 'helper.py': 'def greeting(name):\n    return "Hello, " + name' } },
      ...more,
    ],
  })
  const content = (packageName: string) => ({
    plugins: { flowing: { executor: 'central_deployment_agent', package_name: packageName } },
    node_templates: {
      one: {
        type: 'cloudify.nodes.Root',
        interfaces: { own: { call: { implementation: 'own.calls.call' } } },
      },
    },
    workflows: { greet: { mapping: 'flowing.flows.greet', parameters: { name: {} } } },
  })
  const greeted = async (id: string) =>
    system.ended(await system.start(id, 'greet', { parameters: { name: 'Ada' } }))

  test('runs in its environment, and so do the operations that it runs', async () => {
    await storePlugin(system.db, wagon('flow-plugin'))
    const { plugins, node_templates, workflows } = content('flow-plugin')
    node_templates.one.interfaces.own.call.implementation = 'flowing.calls.call'
    const id = await deployed({ plugins, node_templates, workflows })
    expect(await greeted(id)).toMatchObject({ status: 'terminated', error: '' })
    expect(await propertiesOf(id)).toEqual([{ greeted: 'Hello, Ada' }])
  })

  test('whose plugin nobody has uploaded fails before it begins, and says so', async () => {
    const { plugins, workflows } = content('never-uploaded')
    const id = await deployed({ plugins, workflows })
    expect(await greeted(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('never-uploaded'),
    })
  })

  test('asks this engine also where its plugin brings an original SDK', async () => {
    const original = {
      name: 'cloudify-common',
      version: '7.0.2',
      files: {
        'cloudify/__init__.py': '',
        'cloudify/decorators.py': 'def workflow(function):\n    return None',
      },
    }
    await storePlugin(system.db, wagon('old-flow-plugin', [original]))
    const { plugins, workflows } = content('old-flow-plugin')
    const id = await deployed({ plugins, workflows })
    expect(await greeted(id)).toMatchObject({ status: 'terminated', error: '' })
  })
})
