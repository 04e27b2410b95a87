import { expect, test } from 'vitest'
import { pointsOf, run, type Script, type World, world } from '../../test/memory-runner.ts'
import { loadGraphs, newStore } from '../../test/memory-store.ts'
import { deployment, type NodeSketch } from '../../test/model-builder.ts'
import { type UpdateRun, updateWorkflow } from './update.ts'

const lifecycle = ['lifecycle.create', 'lifecycle.delete']
const linked = (to: string) => ({ to, source: ['establish', 'unlink'] })
const edge = (to: string) => ({
  type: 'cloudify.relationships.depends_on',
  target_name: to,
  target_id: `${to}_1`,
})

const nothing: UpdateRun = {
  isPreview: false,
  changesBlueprint: true,
  skipInstall: false,
  skipUninstall: false,
  skipReinstall: false,
  skipDriftCheck: false,
  skipHeal: false,
  forceReinstall: false,
  ignoreFailure: false,
  reinstallList: [],
  changedNodes: [],
  candidates: [],
  added: [],
  removed: [],
  extended: [],
  reduced: [],
}

function worldOf(
  sketches: readonly NodeSketch[],
  over: Partial<UpdateRun>,
  script: Script = () => ({}),
): World {
  const model = deployment(
    sketches.map((sketch) => ({ state: 'started', ...sketch })),
    { taskRetries: 0, waitAfterFailMs: 1e12 },
  )
  return { ...world(model, script), workflow: updateWorkflow({ ...nothing, ...over }) }
}

async function updated(sketches: readonly NodeSketch[], over: Partial<UpdateRun>, script?: Script) {
  const at = worldOf(sketches, over, script)
  const memory = newStore()
  const end = await run(at, memory)
  const graphs = loadGraphs(memory).filter(({ operations }) => operations.length > 0)
  return { end, executed: at.executions.map(({ key }) => key), graphs: graphs.map(({ name }) => name) }
}

/** `app` leaves `old` and `kept` for `fresh` and `other`; `old` goes and `fresh` comes. */
const topology: readonly NodeSketch[] = [
  { id: 'kept', operations: lifecycle },
  { id: 'other', operations: lifecycle },
  { id: 'old', operations: lifecycle },
  { id: 'fresh', operations: lifecycle, state: 'uninitialized' },
  { id: 'app', operations: lifecycle, relationships: ['old', 'kept', 'fresh', 'other'].map(linked) },
]
const moved: Partial<UpdateRun> = {
  added: ['fresh_1'],
  removed: ['old_1'],
  extended: [{ id: 'app_1', edges: [edge('fresh'), edge('other')] }],
  reduced: [{ id: 'app_1', edges: [edge('old'), edge('kept')] }],
}

test('each relationship that comes or goes is established or unlinked once', async () => {
  const { end, executed, graphs } = await updated(topology, moved)
  expect(end).toEqual({ status: 'succeeded' })
  expect(executed).toEqual([
    'app_1 relationship_lifecycle.unlink to kept_1',
    'app_1 relationship_lifecycle.unlink to old_1',
    'old_1 lifecycle.delete',
    'fresh_1 lifecycle.create',
    'app_1 relationship_lifecycle.establish to fresh_1',
    'app_1 relationship_lifecycle.establish to other_1',
  ])
  expect(graphs).toEqual(['unlink-uninstall', 'uninstall', 'install', 'establish-install'])
})

test('what comes and goes has no part in a reinstallation', async () => {
  const { executed } = await updated(topology, { ...moved, changedNodes: ['app'], candidates: ['app_1'] })
  expect(executed.filter((key) => key.startsWith('app_1'))).toEqual([
    'app_1 relationship_lifecycle.unlink to kept_1',
    'app_1 relationship_lifecycle.unlink to old_1',
    'app_1 lifecycle.delete',
    'app_1 lifecycle.create',
    'app_1 relationship_lifecycle.establish to fresh_1',
    'app_1 relationship_lifecycle.establish to other_1',
  ])
})

const updatable = [...lifecycle, 'lifecycle.preupdate', 'lifecycle.update', 'lifecycle.update_postapply']
const changed = { changedNodes: ['a'], candidates: ['a_1'] }
const fails =
  (name: string): Script =>
  (key) =>
    key.endsWith(name) ? { error: { kind: 'non-recoverable', message: 'no' } } : {}
const again = ['a_1 lifecycle.delete', 'a_1 lifecycle.create']
const one: readonly NodeSketch[] = [{ id: 'a', operations: updatable }]

test('what can be updated is, and what fails at it is reinstalled, unless that is skipped', async () => {
  const steps = ['a_1 lifecycle.preupdate', 'a_1 lifecycle.update', 'a_1 lifecycle.update_postapply']
  expect((await updated(one, changed)).executed).toEqual(steps)
  const failing = fails('lifecycle.update')
  const failed = await updated(one, changed, failing)
  expect([failed.end, failed.executed]).toEqual([{ status: 'succeeded' }, [...steps.slice(0, 2), ...again]])
  const skipped = await updated(one, { ...changed, skipReinstall: true }, failing)
  expect(skipped).toMatchObject({ end: { status: 'failed' }, executed: steps.slice(0, 2) })
  expect((await updated(one, { ...changed, forceReinstall: true })).executed).toEqual(again)
  expect((await updated([{ id: 'a', operations: lifecycle }], changed)).executed).toEqual(again)
})

test('where a node can be checked for drift, that decides', async () => {
  const sketch = [{ id: 'a', operations: [...updatable, 'lifecycle.check_drift'] }]
  const check = 'a_1 lifecycle.check_drift'
  expect((await updated(sketch, changed)).executed).toEqual([check])
  const drifted: Script = (key) => (key === check ? { result: { size: [1, 2] } } : {})
  expect((await updated(sketch, changed, drifted)).executed).toEqual([
    check,
    'a_1 lifecycle.preupdate',
    'a_1 lifecycle.update',
    'a_1 lifecycle.update_postapply',
  ])
  expect((await updated(sketch, changed, fails('check_drift'))).executed).toEqual([check, ...again])
  const unchecked = await updated(sketch, { ...changed, skipDriftCheck: true })
  expect(unchecked.executed).toHaveLength(3)
})

test('what is listed is reinstalled with what it contains, whatever is skipped', async () => {
  const sketches = [
    { id: 'host', operations: lifecycle },
    { id: 'app', within: 'host', operations: lifecycle },
    { id: 'beside', operations: lifecycle },
  ]
  const { executed } = await updated(sketches, { skipReinstall: true, reinstallList: ['host_1'] })
  expect(executed).toEqual([
    'app_1 lifecycle.delete',
    'host_1 lifecycle.delete',
    'host_1 lifecycle.create',
    'app_1 lifecycle.create',
  ])
})

test('a preview does nothing', async () => {
  expect((await updated(topology, { ...moved, isPreview: true })).executed).toEqual([])
})

test('a crash at any moment changes nothing of what is done', async () => {
  const all = { ...moved, changedNodes: ['app', 'other'], candidates: ['app_1', 'other_1'] }
  const sketches = topology.map((sketch) =>
    sketch.id === 'other' ? { ...sketch, operations: updatable } : sketch,
  )
  const script = fails('lifecycle.update')
  const whole = worldOf(sketches, all, script)
  expect(await run(whole, newStore())).toEqual({ status: 'succeeded' })
  const expected = whole.executions.map(({ key }) => key)
  for (const point of pointsOf(whole, 200)) {
    const at = worldOf(sketches, all, script)
    const memory = newStore()
    const first = await run(at, memory, point)
    const end = first === 'crashed' ? await run(at, memory) : first
    expect([point, end]).toEqual([point, { status: 'succeeded' }])
    // One in flight may run again, as itself: no other operation is made, and none left out.
    const done = new Map(at.executions.map(({ operationId, key }) => [operationId, key]))
    expect([point, [...done.values()].toSorted()]).toEqual([point, expected.toSorted()])
  }
})
