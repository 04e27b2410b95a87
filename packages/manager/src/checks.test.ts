import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../test/archives.ts'
import { startTestSystem, type TestSystem } from '../test/test-system.ts'

/**
 * The workflows that look after what is installed, with scripts: what they find is recorded, counted and healed. What a
 * script is to do is said by runtime properties.
 */
let system: TestSystem

const script = (name: string) => ({
  implementation: `scripts/${name}.sh`,
  executor: 'central_deployment_agent',
})

beforeAll(async () => {
  system = await startTestSystem()
  const interfaces = {
    'cloudify.interfaces.validation': { check_status: script('status') },
    'cloudify.interfaces.lifecycle': {
      create: script('well'),
      check_drift: script('drift'),
      heal: script('heal'),
      start: script('count'),
      stop: script('count'),
      pull: script('count'),
    },
  }
  const text = blueprintText({
    node_templates: {
      one: { type: 'cloudify.nodes.Root', interfaces },
      other: { type: 'cloudify.nodes.Root', interfaces },
      plain: { type: 'cloudify.nodes.Root' },
    },
  })
  const files = {
    'scripts/well.sh': '#!/bin/bash\nctx instance runtime-properties sick no\n',
    'scripts/status.sh':
      '#!/bin/bash\n[ "$(ctx instance runtime-properties sick)" = no ] || { echo is sick >&2; exit 1; }\n',
    'scripts/drift.sh': `#!/bin/bash
[ "$(ctx instance runtime-properties sick)" = no ] || ctx returns '{"size": 2}'
`,
    'scripts/heal.sh': `#!/bin/bash
[ "$(ctx instance runtime-properties sick)" = curable ] || exit 1
ctx instance runtime-properties sick no
`,
    'scripts/count.sh': '#!/bin/bash\nctx instance runtime-properties did "$(ctx operation name)"\n',
  }
  await system.upload('checked', blueprintArchive(text, files))
  await system.inject('PUT', '/config/task_retries', { body: { value: 0 } })
  await system.deploy('app', 'checked')
  expect(await ran('install')).toMatchObject({ status: 'terminated' })
})
afterAll(() => system.close())

const ran = async (workflow: string, parameters: object = {}) =>
  system.ended(await system.start('app', workflow, { parameters }))
const instance = async (node: string) =>
  (await system.inject('GET', `/node-instances?deployment_id=app&node_id=${node}`)).body.items[0]
async function set(node: string, runtime_properties: object): Promise<void> {
  const { id, version } = await instance(node)
  const body = { version, runtime_properties }
  expect((await system.inject('PATCH', `/node-instances/${id}`, { body })).status).toBe(200)
}
const counts = async () => {
  const { unavailable_instances, drifted_instances } = (await system.inject('GET', '/deployments/app')).body
  return { unavailable_instances, drifted_instances }
}

test('a status is recorded with the one before it, and counted', async () => {
  expect(await counts()).toEqual({ unavailable_instances: 0, drifted_instances: 0 })
  expect(await ran('check_status')).toMatchObject({ status: 'terminated' })
  expect((await instance('one')).system_properties.status).toMatchObject({
    ok: true,
    task: expect.any(String),
  })
  await set('one', { sick: 'curable' })
  expect(await ran('check_status')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('is sick'),
  })
  const { system_properties, is_status_check_ok } = await instance('one')
  expect(is_status_check_ok).toBe(false)
  expect(system_properties).toMatchObject({
    status: { ok: false, result: expect.stringContaining('is sick') },
    previous_status: { ok: true },
  })
  expect(await counts()).toEqual({ unavailable_instances: 1, drifted_instances: 0 })
  const [node] = (await system.inject('GET', '/nodes?deployment_id=app&id=one')).body.items
  expect(node.unavailable_instances).toBe(1)
  const summary = await system.inject(
    'GET',
    '/summary/node_instances?_target_field=state&is_status_check_ok=false&deployment_id=app',
  )
  expect(summary.body.items).toEqual([{ state: 'started', node_instances: 1 }])
})

test('drift is recorded and counted, and gone when it is', async () => {
  expect(await ran('check_drift')).toMatchObject({ status: 'terminated' })
  expect(await instance('one')).toMatchObject({
    has_configuration_drift: true,
    system_properties: { configuration_drift: { ok: true, result: '{"size": 2}' } },
  })
  expect(await instance('other')).toMatchObject({ has_configuration_drift: false })
  expect(await counts()).toEqual({ unavailable_instances: 1, drifted_instances: 1 })
  const filtered = await system.inject('GET', '/node-instances?has_configuration_drift=true&_include=node_id')
  expect(filtered.body.items).toEqual([{ node_id: 'one' }])
})

test('heal makes well what can be, and installs the rest anew', async () => {
  await set('other', { sick: 'to death' })
  const { version } = await instance('one')
  expect(await ran('heal')).toMatchObject({ status: 'terminated', error: '' })
  expect(await instance('one')).toMatchObject({
    state: 'started',
    runtime_properties: { sick: 'no' },
    system_properties: { status: { ok: true, healed: true, task: null } },
  })
  const healed = await instance('other')
  expect(healed).toMatchObject({
    state: 'started',
    runtime_properties: { sick: 'no' },
    system_properties: { status: { ok: true, task: null }, heal_failed: expect.any(String) },
  })
  expect(await counts()).toMatchObject({ unavailable_instances: 0 })
  expect((await instance('one')).version).toBeGreaterThan(version)
  await set('one', { sick: 'to death' })
  const refused = await ran('heal', { allow_reinstall: false })
  expect(refused).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('allow_reinstall is false, but would need to reinstall instances: one_'),
  })
  const resumed = await system.inject('POST', `/executions/${refused.id}`, { body: { action: 'resume' } })
  expect(resumed.status).toBe(200)
  expect(await system.ended(refused.id)).toMatchObject({
    status: 'failed',
    error: 'Cannot resume - workflow not resumable',
  })
  const { id } = await instance('one')
  expect(await ran('heal', { node_instance_id: id, force_reinstall: true })).toMatchObject({
    status: 'terminated',
  })
  expect(await instance('one')).toMatchObject({ state: 'started', runtime_properties: { sick: 'no' } })
})

test.each([
  ['stop', 'stop'],
  ['restart', 'start'],
  ['pull', 'pull'],
  ['reinstall', 'start'],
])('%s ends with %s, and with what is installed', async (workflow, last) => {
  expect(await ran(workflow)).toMatchObject({ status: 'terminated', error: '' })
  expect(await instance('one')).toMatchObject({
    state: 'started',
    runtime_properties: { did: `cloudify.interfaces.lifecycle.${last}` },
  })
})

test('rollback of what is whole does nothing; with full_rollback it takes all down', async () => {
  expect(await ran('rollback')).toMatchObject({ status: 'terminated', total_operations: 0 })
  expect(await ran('rollback', { full_rollback: true })).toMatchObject({ status: 'terminated' })
  expect((await instance('one')).state).toBe('deleted')
  expect((await system.inject('GET', '/deployments/app')).body.installation_status).toBe('inactive')
})
