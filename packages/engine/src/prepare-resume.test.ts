import { expect, test } from 'vitest'
import { run, type Script, type World, world } from '../test/memory-runner.ts'
import {
  loadGraphs,
  type MemoryStore,
  messages,
  newStore,
  storeResume,
  terminatedCount,
} from '../test/memory-store.ts'
import { deployment, type NodeSketch, withStates } from '../test/model-builder.ts'
import { prepareResume } from './prepare-resume.ts'
import { finish } from './work.ts'

function installation(
  sketches: readonly NodeSketch[],
  script: Script,
  taskRetries = 0,
): { at: World; memory: MemoryStore } {
  return { at: world(deployment(sketches, { taskRetries }), script), memory: newStore() }
}

function resume(at: World, memory: MemoryStore, mode: 'resume' | 'force-resume', cleanup = false): void {
  const model = withStates(at.model, memory.instanceStates)
  const input = cleanup ? { model, context: {}, newId: at.newId } : null
  const prepared = loadGraphs(memory).map(
    ({ id, operations }) => [id, finish(prepareResume(operations, mode, input))] as const,
  )
  storeResume(memory, new Map(prepared))
  at.executions.length = 0
}

const failsOnce: Script = (key, attempt) =>
  key === 'db_1 lifecycle.start' && attempt === 0 ? { error: { kind: 'non-recoverable' } } : {}
const stack: readonly NodeSketch[] = [
  { id: 'db', operations: ['lifecycle.create', 'lifecycle.start', 'lifecycle.stop', 'lifecycle.prestop'] },
  { id: 'app', operations: ['lifecycle.create'], relationships: [{ to: 'db' }] },
]
const keys = (at: World) => at.executions.map(({ key }) => key)

test('resume runs what failed and what waited for it, nothing that was done', async () => {
  let fails = true
  const { at, memory } = installation(stack, (key) =>
    fails && key === 'db_1 lifecycle.start' ? { error: { kind: 'non-recoverable' } } : {},
  )
  expect(await run(at, memory)).toMatchObject({ status: 'failed' })
  fails = false
  resume(at, memory, 'resume')
  expect(await run(at, memory)).toEqual({ status: 'succeeded' })
  expect(keys(at)).toEqual(['db_1 lifecycle.start', 'app_1 lifecycle.create'])
  expect([...memory.operations.values()].every((row) => row.state === 'succeeded')).toBe(true)
  expect(memory.finished).toBe(terminatedCount(memory))
})

test('a half-done start is rolled back before an installation is resumed', async () => {
  const { at, memory } = installation(stack, failsOnce)
  await run(at, memory)
  expect(memory.instanceStates.get('db_1')).toBe('starting')
  resume(at, memory, 'resume', true)
  await run({ ...at, script: () => ({}) }, memory)
  expect(keys(at)).toEqual([
    'db_1 lifecycle.prestop',
    'db_1 lifecycle.stop',
    'db_1 lifecycle.start',
    'app_1 lifecycle.create',
  ])
  const texts = messages(memory)
  expect(texts).toContain("Subgraph succeeded 'resume_cleanup_db_1'")
  expect(texts.indexOf('Rolling back prior to resuming install')).toBeLessThan(
    texts.indexOf('Finished rolling back, now resuming install'),
  )
  expect(memory.instanceStates.get('db_1')).toBe('started')
})

test('a half-done creation is deleted, and failures of that are ignored', async () => {
  const { at, memory } = installation(
    [{ id: 'db', operations: ['lifecycle.create', 'lifecycle.delete'] }],
    (_, attempt) => (attempt === 0 ? { error: { kind: 'non-recoverable' } } : {}),
  )
  await run(at, memory)
  resume(at, memory, 'resume', true)
  const deletionFails: Script = (key) =>
    key.endsWith('delete') ? { error: { kind: 'non-recoverable' } } : {}
  expect(await run({ ...at, script: deletionFails }, memory)).toEqual({ status: 'succeeded' })
  expect(keys(at)).toEqual(['db_1 lifecycle.delete', 'db_1 lifecycle.create'])
})

test('after a force-cancel, resume runs in-flight operations as such and force-resume as new ones', async () => {
  for (const mode of ['resume', 'force-resume'] as const) {
    const { at, memory } = installation(stack, () => ({}))
    await run(at, memory, null, { cancelWhenSent: { key: 'db_1 lifecycle.start', mode: 'force-cancel' } })
    resume(at, memory, mode)
    expect(await run(at, memory)).toEqual({ status: 'succeeded' })
    expect(at.executions.map((done) => [done.key, done.resume])).toEqual([
      ['db_1 lifecycle.start', mode === 'resume'],
      ['app_1 lifecycle.create', false],
    ])
  }
})

test('of a chain of retries only the last row is reset', async () => {
  const one: readonly NodeSketch[] = [{ id: 'db', operations: ['lifecycle.create'] }]
  const { at, memory } = installation(one, () => ({ error: { kind: 'recoverable' } }), 1)
  await run(at, memory)
  const { patched } = finish(prepareResume([...memory.operations.values()], 'resume', null))
  expect(patched.map(({ id }) => memory.operations.get(id)?.name)).toEqual(['install_db_1', 'tasks.create'])
  expect(patched.map(({ state, parameters }) => [state, parameters?.current_retries])).toEqual([
    ['pending', 0],
    ['pending', 0],
  ])
})
