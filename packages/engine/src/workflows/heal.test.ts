import { expect, test } from 'vitest'
import { run, type Script, world } from '../../test/memory-runner.ts'
import { loadGraphs, messages, newStore } from '../../test/memory-store.ts'
import { deployment, type NodeSketch } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'

const lifecycle = ['lifecycle.create', 'lifecycle.stop', 'lifecycle.delete']
const fine = { status: { ok: true, result: null, task: null } }
const broken = { status: { ok: false, result: 'no', task: 't' } }

async function healed(
  sketches: readonly NodeSketch[],
  parameters: JsonObject = {},
  script: Script = () => ({}),
) {
  const model = deployment(
    sketches.map((sketch) => ({ state: 'started', systemProperties: fine, ...sketch })),
    { taskRetries: 0 },
  )
  const at = world(model, script, 'heal', parameters)
  const memory = newStore()
  const end = await run(at, memory)
  return {
    end,
    memory,
    executed: at.executions.map(({ key }) => key),
    graphs: loadGraphs(memory)
      .filter(({ operations }) => operations.length > 0)
      .map(({ name }) => name),
  }
}

const fails =
  (...names: readonly string[]): Script =>
  (key, attempt) =>
    names.includes(key) && attempt === 0 ? { error: { kind: 'non-recoverable', message: 'sick' } } : {}

test('checks first, and heals what is not well', async () => {
  const operations = ['validation.check_status', 'lifecycle.preheal', 'lifecycle.heal', 'lifecycle.postheal']
  const { end, executed, memory, graphs } = await healed(
    [
      { id: 'a', operations },
      { id: 'b', operations },
    ],
    {},
    fails('a_1 validation.check_status'),
  )
  expect(end).toEqual({ status: 'succeeded' })
  expect(executed).toEqual([
    'a_1 validation.check_status',
    'b_1 validation.check_status',
    'a_1 lifecycle.preheal',
    'a_1 lifecycle.heal',
    'a_1 lifecycle.postheal',
  ])
  expect(graphs).toEqual(['check_status', 'heal'])
  expect(messages(memory, 'workflow_node_event')).toEqual([
    'Ignoring task tasks.check_status failure',
    'Healing node instance',
    'Node instance healed',
  ])
  expect(memory.systemProperties.get('a_1')?.status).toMatchObject({ ok: true, task: null, healed: true })
  expect(memory.systemProperties.get('b_1')?.status).toMatchObject({ ok: true, task: expect.any(String) })
})

test('what cannot be healed is reinstalled with all that it contains', async () => {
  const { end, graphs, executed } = await healed([
    { id: 'host', operations: lifecycle, systemProperties: broken },
    { id: 'app', within: 'host', operations: lifecycle },
    { id: 'other', operations: lifecycle },
  ])
  expect(end).toEqual({ status: 'succeeded' })
  expect(graphs).toEqual(['reinstall-uninstall', 'reinstall-install'])
  expect(executed).toEqual([
    'app_1 lifecycle.stop',
    'app_1 lifecycle.delete',
    'host_1 lifecycle.stop',
    'host_1 lifecycle.delete',
    'host_1 lifecycle.create',
    'app_1 lifecycle.create',
  ])
})

test('what fails to heal is noted, passed over and reinstalled', async () => {
  const operations = ['lifecycle.heal', 'lifecycle.postheal', ...lifecycle]
  const { end, executed, memory } = await healed(
    [
      { id: 'a', operations, systemProperties: broken },
      { id: 'b', operations, systemProperties: broken },
    ],
    {},
    fails('a_1 lifecycle.heal'),
  )
  expect(end).toEqual({ status: 'succeeded' })
  expect(executed).toEqual([
    ...['a_1 lifecycle.heal', 'b_1 lifecycle.heal', 'b_1 lifecycle.postheal'],
    ...['a_1 lifecycle.stop', 'a_1 lifecycle.delete', 'a_1 lifecycle.create'],
  ])
  expect(memory.systemProperties.get('a_1')).toMatchObject({ heal_failed: 'execution', status: { ok: true } })
})

test('of one that is named, its host and all in it are looked at', async () => {
  const { executed } = await healed(
    [
      { id: 'host', types: ['cloudify.nodes.Compute'], operations: ['validation.check_status'] },
      { id: 'app', within: 'host', operations: ['validation.check_status'] },
      { id: 'other', operations: ['validation.check_status'] },
    ],
    { node_instance_id: 'app_1' },
  )
  // Here nothing knows its host: it is the instance alone.
  expect(executed).toEqual(['app_1 validation.check_status'])
  const host = await healed(
    [
      { id: 'host', operations: ['validation.check_status'] },
      { id: 'app', within: 'host', operations: ['validation.check_status'] },
    ],
    { node_instance_id: 'host_1' },
  )
  expect(host.executed).toEqual(['host_1 validation.check_status', 'app_1 validation.check_status'])
})

test('what was never checked is well in a whole deployment, and not well when it is named', async () => {
  const unknown = [{ id: 'a', operations: lifecycle, systemProperties: {} }]
  expect((await healed(unknown)).executed).toEqual([])
  expect((await healed(unknown, { node_instance_id: 'a_1' })).executed).toEqual([
    'a_1 lifecycle.stop',
    'a_1 lifecycle.delete',
    'a_1 lifecycle.create',
  ])
})

test('force_reinstall asks nobody, check_status false does not look', async () => {
  const operations = ['validation.check_status', 'lifecycle.heal', ...lifecycle]
  const forced = await healed([{ id: 'a', operations }], { force_reinstall: true })
  expect(forced.executed).toEqual(['a_1 lifecycle.stop', 'a_1 lifecycle.delete', 'a_1 lifecycle.create'])
  const unchecked = await healed([{ id: 'a', operations, systemProperties: broken }], { check_status: false })
  expect(unchecked.executed).toEqual(['a_1 lifecycle.heal'])
})

test('without allow_reinstall it says what it would have to reinstall', async () => {
  const many = Array.from({ length: 7 }, (_, index) => ({ id: `n${index}`, systemProperties: broken }))
  const { end, memory } = await healed(many, { allow_reinstall: false })
  expect(end).toEqual({
    status: 'failed',
    error:
      'allow_reinstall is false, but would need to reinstall instances: n0_1, n1_1, n2_1, n3_1, n4_1 (and 2 more)',
  })
  expect(memory.stateLog).toEqual([])
})

test('an uninstallation that fails is passed over, unless ignore_failure is false', async () => {
  const sick = [{ id: 'a', operations: lifecycle, systemProperties: broken }]
  const script = fails('a_1 lifecycle.stop')
  expect((await healed(sick, {}, script)).end).toEqual({ status: 'succeeded' })
  expect((await healed(sick, { ignore_failure: false }, script)).end).toMatchObject({ status: 'failed' })
})

test('cannot be resumed, and knows what is there', async () => {
  const memory = newStore()
  memory.resumeMode = 'resume'
  await expect(run(world(deployment([{ id: 'a' }]), undefined, 'heal'), memory)).rejects.toThrow(
    'Cannot resume - workflow not resumable',
  )
  expect((await healed([{ id: 'a' }], { node_instance_id: 'gone_1' })).end).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('Node instance gone_1 does not exist'),
  })
})
