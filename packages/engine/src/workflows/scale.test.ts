import { expect, test } from 'vitest'
import { counterIds, run, type Script, type World, world } from '../../test/memory-runner.ts'
import { loadGraphs, type MemoryStore, messages, newStore } from '../../test/memory-store.ts'
import { deployment } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'
import { builtInMapping, builtInWorkflow } from './built-in.ts'

const operations = ['lifecycle.create', 'lifecycle.start', 'lifecycle.stop', 'lifecycle.delete']
const model = deployment(
  [
    { id: 'web', state: 'started', operations },
    { id: 'lb', state: 'started', relationships: [{ to: 'web', source: ['establish', 'unlink'] }] },
  ],
  { taskRetries: 0 },
)
const edge = (target_id: string) => ({
  type: 'cloudify.relationships.depends_on',
  target_name: 'web',
  target_id,
})
/** One more of `web`, to which `lb` leads. */
const more = {
  change: {
    added: [{ id: 'web_2', node_id: 'web', relationships: [], scaling_groups: [] }],
    rewired: [{ id: 'lb_1', relationships: [edge('web_1'), edge('web_2')] }],
    removed: [],
  },
  removed: [],
}
const less = { change: { added: [], rewired: [], removed: [] }, removed: ['web_1'] }

async function scaled(
  parameters: JsonObject,
  modifies: World['modifies'],
  script: Script = () => ({}),
  memory: MemoryStore = newStore(),
  changed: Partial<World> = {},
) {
  const given = { scalable_entity_name: 'web', ...parameters }
  const at = { ...world(model, script, 'scale', given), ...(modifies && { modifies }), ...changed }
  const end = await run(at, memory)
  return {
    end,
    memory,
    executed: at.executions.map(({ key }) => key),
    graphs: loadGraphs(memory).map(({ name }) => name),
  }
}

test('scaling out installs what is added and establishes what leads to it', async () => {
  const { end, executed, graphs, memory } = await scaled({}, more)
  expect(end).toEqual({ status: 'succeeded' })
  expect(executed).toEqual([
    'web_2 lifecycle.create',
    'web_2 lifecycle.start',
    'lb_1 relationship_lifecycle.establish to web_2',
  ])
  expect(graphs).toEqual(['web_install'])
  expect(memory.actions).toEqual(['begin modify', 'end modify'])
})

test('scaling in unlinks and uninstalls what is removed', async () => {
  const { end, executed, graphs, memory } = await scaled({ delta: -1 }, less)
  expect(end).toEqual({ status: 'succeeded' })
  expect(executed).toEqual([
    'lb_1 relationship_lifecycle.unlink to web_1',
    'web_1 lifecycle.stop',
    'web_1 lifecycle.delete',
  ])
  expect(graphs).toEqual(['web_uninstall'])
  expect(memory.actions).toEqual(['begin modify', 'end modify'])
})

const failsAt =
  (name: string): Script =>
  (key) =>
    key === name ? { error: { kind: 'non-recoverable', message: 'no' } } : {}

test.each([
  ['lifecycle.create', ['lifecycle.delete'], 'Rollback Stop: nothing to do, instance state is creating'],
  [
    'lifecycle.start',
    ['lifecycle.stop', 'lifecycle.delete'],
    'Rollback Delete: nothing to do, instance state is starting',
  ],
])('a failed %s is undone, whole', async (failing, undone, text) => {
  const { end, executed, graphs, memory } = await scaled({}, more, failsAt(`web_2 ${failing}`))
  expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('no') })
  const after = executed.slice(executed.indexOf(`web_2 ${failing}`) + 1)
  expect(after.filter((key) => key.startsWith('web_2'))).toEqual(undone.map((name) => `web_2 ${name}`))
  expect(graphs).toEqual(['web_install', 'web_rollback'])
  const told = messages(memory)
  expect(told).toContain('Scale out failed, scaling back in.')
  expect(told).toContain(text)
  expect(memory.actions).toEqual(['begin modify', 'undo modify'])
})

test('what was started is stopped and deleted when another fails, failing or not', async () => {
  const script: Script = (key) =>
    key.includes('establish') || key.endsWith('web_2 lifecycle.stop')
      ? { error: { kind: 'non-recoverable', message: 'no' } }
      : {}
  const { executed, memory } = await scaled({}, more, script)
  expect(executed.slice(3)).toEqual([
    'lb_1 relationship_lifecycle.unlink to web_2',
    'web_2 lifecycle.stop',
    'web_2 lifecycle.delete',
  ])
  expect(memory.actions).toEqual(['begin modify', 'undo modify'])
})

test('without rollback_if_failed it stays, and a resume goes on with it', async () => {
  const first = await scaled({ rollback_if_failed: false }, more, failsAt('web_2 lifecycle.start'))
  expect(first.end).toMatchObject({ status: 'failed' })
  expect(first.memory.actions).toEqual(['begin modify'])
  first.memory.resumeMode = 'resume'
  const second = await scaled({ rollback_if_failed: false }, more, undefined, first.memory, {
    newId: counterIds('again'),
  })
  expect(second.end).toEqual({ status: 'succeeded' })
  expect(second.executed).toEqual([
    'web_2 lifecycle.stop',
    'web_2 lifecycle.start',
    'lb_1 relationship_lifecycle.establish to web_2',
  ])
  expect(second.memory.actions).toEqual(['begin modify', 'end modify'])
})

test('scaling in that fails is undone', async () => {
  const { end, memory } = await scaled({ delta: -1 }, less, failsAt('web_1 lifecycle.stop'))
  expect(end).toMatchObject({ status: 'failed' })
  expect(memory.actions).toEqual(['begin modify', 'undo modify'])
  const ignored = await scaled({ delta: -1, ignore_failure: true }, less, failsAt('web_1 lifecycle.stop'))
  expect(ignored.end).toEqual({ status: 'succeeded' })
})

test('with abort_started, what another execution has begun is uninstalled and rolled back first', async () => {
  const memory = newStore()
  await scaled(
    { rollback_if_failed: false },
    more,
    failsAt('lb_1 relationship_lifecycle.establish to web_2'),
    memory,
  )
  expect(memory.modification?.added).toEqual(new Set(['web_2']))
  // Another execution of the same deployment.
  memory.graphs.clear()
  memory.operations.clear()
  memory.progress = null
  const aborted: string[] = []
  const { executed, end } = await scaled({ delta: -1, abort_started: true }, less, undefined, memory, {
    refusal: ({ phase, step }) => {
      if (phase.action === 'abort-modification' && step === 'begin') {
        aborted.push('aborted')
        memory.modification = null
      }
      return undefined
    },
  })
  expect(end).toEqual({ status: 'succeeded' })
  expect(aborted).toEqual(['aborted'])
  expect(executed.slice(0, 3)).toEqual([
    'lb_1 relationship_lifecycle.unlink to web_2',
    'web_2 lifecycle.stop',
    'web_2 lifecycle.delete',
  ])
})

test('what is refused by the rules begins nothing', async () => {
  const { end, executed, memory } = await scaled({}, more, undefined, undefined, {
    refusal: () => 'one is started',
  })
  expect(end).toEqual({ status: 'failed', error: 'one is started' })
  expect([executed, memory.actions]).toEqual([[], []])
})

test('a modification that somebody has ended meanwhile is gone on with by nobody', async () => {
  const memory = newStore()
  const { end } = await scaled({ rollback_if_failed: false }, more, undefined, memory, {
    refusal: () => {
      queueMicrotask(() => {
        memory.modification = null
      })
      return undefined
    },
  })
  expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('has been ended') })
})

test.each<[JsonObject, string]>([
  [{ delta: 'two' }, 'The delta parameter must be a number. Got: "two"'],
  [{ delta: 1.5 }, 'The delta parameter must be a number'],
  [{ delta: true }, 'The delta parameter must be a number'],
  [{ delta: 1, include_instances: ['a'] }, 'when scaling up'],
  [{ delta: -1, exclude_instances: ['a'], scale_compute: true }, 'scale_compute is true'],
  [{ delta: -1, exclude_instances: ['a'], include_instances: ['a', 'b'] }, 'both included and excluded: a'],
  [{ scalable_entity_name: '' }, 'scalable_entity_name must name'],
  [{ rollback_if_failed: 'maybe' }, 'rollback_if_failed must be true or false'],
])('%j is refused', async (parameters, error) => {
  await expect(scaled(parameters, more)).rejects.toThrow(error)
})

test('the function of older types files scales a node, by default its host', () => {
  const { plugin, operation } = builtInMapping('install')
  const old = builtInWorkflow({ plugin, operation: operation.replace('install', 'scale') }, 'scale')
  expect(old.phases({ node_id: 'web', delta: 1 })[0]).toMatchObject({
    input: { entity: 'web', delta: 1, scale_compute: true },
  })
})
