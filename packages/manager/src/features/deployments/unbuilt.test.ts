import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

/** Blueprints that need what this release has not built: refused where they first would do something, never half done. */
let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.close())

let made = 0
async function uploaded(content: Readonly<Record<string, unknown>>): Promise<string> {
  made += 1
  const id = `b${made}`
  const files = { 'run.sh': 'ctx instance runtime-properties done yes' }
  await system.upload(id, blueprintArchive(blueprintText(content), files))
  return id
}

const component = { resource_config: { blueprint: { id: 'x' }, deployment: { id: 'y' } } }
const script = { 'cloudify.interfaces.lifecycle': { create: 'run.sh' } }
const first = { type: 'cloudify.nodes.Root', interfaces: script }
const derived = (from: string) => ({
  node_types: { mine: { derived_from: from }, deeper: { derived_from: 'mine' } },
})

test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  [
    'a component',
    { node_templates: { first, one: { type: 'cloudify.nodes.Component', properties: component } } },
    /Node one is of type cloudify\.nodes\.Component/,
  ],
  [
    'a service component',
    { node_templates: { first, one: { type: 'cloudify.nodes.ServiceComponent', properties: component } } },
    /Node one .*ServiceComponent/,
  ],
  [
    'a shared resource',
    {
      node_templates: {
        first,
        one: {
          type: 'cloudify.nodes.SharedResource',
          properties: { resource_config: { deployment: { id: 'y' } } },
        },
      },
    },
    /Node one .*SharedResource/,
  ],
  [
    'a generated password',
    { node_templates: { first, one: { type: 'cloudify.nodes.PasswordSecret' } } },
    /Node one .*PasswordSecret/,
  ],
  [
    'an uploaded blueprint',
    { node_templates: { first, one: { type: 'cloudify.nodes.Blueprint' } } },
    /Node one .*Blueprint/,
  ],
  [
    'a derived type',
    {
      ...derived('cloudify.nodes.Component'),
      node_templates: { first, one: { type: 'deeper', properties: component } },
    },
    /Node one is of type deeper/,
  ],
  [
    'a relationship to a shared resource',
    {
      node_templates: {
        first,
        one: {
          type: 'cloudify.nodes.Root',
          relationships: [
            {
              type: 'cloudify.relationships.depends_on_shared_resource',
              target: 'first',
              target_interfaces: {
                'cloudify.interfaces.relationship_lifecycle': {
                  establish: { inputs: { workflow_id: 'install' } },
                  unlink: { inputs: { workflow_id: 'uninstall' } },
                },
              },
            },
          ],
        },
      },
    },
    /Node one has a relationship of type cloudify\.relationships\.depends_on_shared_resource/,
  ],
])('no deployment is made of %s', async (_what, content, message) => {
  const blueprint = await uploaded(content)
  for (const options of [{}, { skip_plugins_validation: true }]) {
    const answer = await system.inject('PUT', `/deployments/of-${blueprint}`, {
      body: { blueprint_id: blueprint, ...options },
    })
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'deployment_creation_error' } })
    expect(answer.body.message).toMatch(message)
    expect(answer.body.message).toContain('not built yet')
  }
  expect((await system.inject('GET', `/node-instances?deployment_id=of-${blueprint}`)).body.items).toEqual([])
})

test('a derived type that does everything by scripts is what its scripts make of it', async () => {
  const none = { implementation: '' }
  const names = ['create', 'configure', 'start', 'stop', 'delete', 'heal', 'update', 'check_drift']
  const lifecycle = Object.fromEntries(names.map((name) => [name, none]))
  const node_types = {
    mine: {
      derived_from: 'cloudify.nodes.PasswordSecret',
      interfaces: {
        'cloudify.interfaces.lifecycle': { ...lifecycle, create: 'run.sh' },
        'cloudify.interfaces.validation': { create: none },
      },
    },
  }
  const blueprint = await uploaded({ node_types, node_templates: { one: { type: 'mine' } } })
  await system.deploy(`of-${blueprint}`, blueprint)
  expect(await system.ended(await system.start(`of-${blueprint}`, 'install'))).toMatchObject({
    status: 'terminated',
  })
})

test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  [
    'an agent',
    { node_templates: { first, host: { type: 'cloudify.nodes.Compute' } } },
    /Agents are not built yet.*node host/,
  ],
  [
    'a plugin',
    {
      plugins: { mine: { executor: 'central_deployment_agent', package_name: 'mine' } },
      node_templates: {
        first,
        last: {
          type: 'cloudify.nodes.Root',
          interfaces: { 'cloudify.interfaces.lifecycle': { start: 'mine.tasks.start' } },
          relationships: [{ type: 'cloudify.relationships.depends_on', target: 'first' }],
        },
      },
    },
    /tasks\.start of plugin "mine".*node last/,
  ],
  [
    'an operation on a host',
    {
      node_templates: {
        first,
        host: { type: 'cloudify.nodes.Compute', properties: { agent_config: { install_method: 'none' } } },
        last: {
          type: 'cloudify.nodes.SoftwareComponent',
          interfaces: {
            'cloudify.interfaces.lifecycle': { start: { implementation: 'run.sh', executor: 'host_agent' } },
          },
          relationships: [{ type: 'cloudify.relationships.contained_in', target: 'host' }],
        },
      },
    },
    /agent of host host_.*node last/,
  ],
])('what needs %s is not begun', async (_what, content, message) => {
  const blueprint = await uploaded(content)
  const id = `of-${blueprint}`
  await system.deploy(id, blueprint, { skip_plugins_validation: true })
  const execution = await system.ended(await system.start(id, 'install'))
  expect(execution).toMatchObject({ status: 'failed', error: expect.stringMatching(message) })
  const { items } = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body
  expect(new Set(items.map(({ state }: { state: string }) => state))).toEqual(new Set(['uninitialized']))
  expect(items.map((item: { runtime_properties: object }) => item.runtime_properties)).not.toContainEqual({
    done: 'yes',
  })
  expect(execution.finished_operations ?? 0).toBe(0)
})
