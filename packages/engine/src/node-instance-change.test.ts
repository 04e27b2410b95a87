import { expect, test } from 'vitest'
import { counterIds, pointsOf, run, world } from '../test/memory-runner.ts'
import { type MemoryStore, newStore } from '../test/memory-store.ts'
import { deployment } from '../test/model-builder.ts'
import { buildScope, instanceById } from './build-scope.ts'
import {
  buildGraph,
  changedModel,
  changeNodeInstances,
  createGraph,
  finish,
  type GraphPhase,
  newGraphRecord,
  reduce,
  type Workflow,
} from './index.ts'
import { installSubgraph } from './lifecycle/install.ts'

const web = { id: 'web', operations: ['lifecycle.create', 'lifecycle.delete'] }
const model = deployment(
  [
    { ...web, state: 'started' },
    { id: 'lb', relationships: [{ to: 'web' }] },
  ],
  {
    subgraphRetries: 1,
    taskRetries: 0,
  },
)

const edge = (target_id: string) => ({
  type: 'cloudify.relationships.depends_on',
  target_name: 'web',
  target_id,
})
const added = [{ id: 'web_2', node_id: 'web', relationships: [], scaling_groups: [] }]
const comes = { added, rewired: [{ id: 'lb_1', relationships: [edge('web_1'), edge('web_2')] }], removed: [] }
const goes = { added: [], rewired: [{ id: 'lb_1', relationships: [edge('web_2')] }], removed: ['web_1'] }

/** Adds an instance and installs it, then removes the first one. */
const exchange: GraphPhase = {
  kind: 'graph',
  name: 'exchange',
  cleansUpOnResume: false,
  changesNodeInstances: true,
  build: ({ context, newId, ...input }) => {
    const scope = buildScope({ context, model: changedModel(input.model, comes) })
    const subgraph = (name: string, ...steps: readonly ReturnType<typeof changeNodeInstances>[]) =>
      ({ kind: 'subgraph', name, steps }) as const
    const parts = [
      { key: 'add', step: subgraph('add', changeNodeInstances('one more', comes)), waitsFor: [] },
      {
        key: 'install',
        step: installSubgraph(scope, instanceById(scope, 'web_2')),
        waitsFor: [{ key: 'add' }],
      },
      {
        key: 'remove',
        step: subgraph('remove', changeNodeInstances('one less', goes)),
        waitsFor: [{ key: 'install' }],
      },
    ]
    return buildGraph({ parts }, newId)
  },
}

const workflow: Workflow = { name: 'exchange', resumable: true, phases: () => [exchange] }

/** The first installation of the new instance fails, so that the graph has to know what it has added. */
const exchanging = () => ({
  at: {
    ...world(model, (key, attempt) =>
      key === 'web_2 lifecycle.create' && attempt === 0 ? { error: {} } : {},
    ),
    workflow,
  },
  memory: newStore(),
})

const instancesOf = ({ instanceChanges, instanceStates }: MemoryStore) =>
  instanceChanges
    .reduce(changedModel, model)
    .nodeInstances.map(({ id, state, relationships }) => [
      id,
      instanceStates.get(id) ?? state,
      ...relationships.map(({ target_id }) => target_id),
    ])

test('a graph adds an instance, installs it and removes another one, each once, wherever it crashes', async () => {
  const whole = exchanging()
  expect(await run(whole.at, whole.memory)).toEqual({ status: 'succeeded' })
  expect(instancesOf(whole.memory)).toEqual([
    ['lb_1', 'uninitialized', 'web_2'],
    ['web_2', 'started'],
  ])
  expect(whole.at.executions.map(({ key }) => key)).toEqual([
    'web_2 lifecycle.create',
    'web_2 lifecycle.delete',
    'web_2 lifecycle.create',
  ])
  for (const point of pointsOf(whole.at, 100)) {
    const { at, memory } = exchanging()
    expect(await run(at, memory, point)).toBe('crashed')
    expect(await run(at, memory)).toEqual({ status: 'succeeded' })
    expect(memory.instanceChanges).toEqual([comes, goes])
    expect(instancesOf(memory)).toEqual(instancesOf(whole.memory))
  }
})

test('what is added is in the commit that records its task as done, before its states', () => {
  const newId = counterIds()
  const rows = finish(exchange.build({ model, context: {}, newId }))
  const options = { newId, waitAfterFailMs: 0, changesNodeInstances: true }
  const { commit } = reduce(finish(createGraph(rows, newGraphRecord, options)), [], 0)
  expect(commit?.nodeInstanceChanges).toEqual([comes])
  expect(commit?.nodeInstanceStates.map(({ nodeInstanceId }) => nodeInstanceId)).toContain('web_2')
  const task = rows.find(({ type }) => type === 'ChangeNodeInstancesTask')
  expect(commit?.patched).toContainEqual({ id: task?.id, state: 'succeeded' })
})

test('a dry run changes none', async () => {
  const { at, memory } = exchanging()
  expect(await run({ ...at, dryRun: true }, memory)).toEqual({ status: 'succeeded' })
  expect(memory.instanceChanges).toEqual([])
})

test.each([
  ['of a graph that changes none', false, {}, 'would change node instances'],
  ['that says nothing', true, { added: [{ id: 'x' }] }, 'does not say what is to become'],
  ['that names what is no id', true, { removed: [7] }, 'does not say what is to become'],
])('a stored change %s is refused before anything runs', (_, changesNodeInstances, kwargs, why) => {
  const newId = counterIds()
  const task = changeNodeInstances('', { ...comes, ...kwargs } as typeof comes)
  const rows = finish(
    buildGraph(
      { parts: [{ key: 'a', step: { kind: 'subgraph', name: 'a', steps: [task] }, waitsFor: [] }] },
      newId,
    ),
  )
  const options = { newId, waitAfterFailMs: 0, changesNodeInstances }
  expect(() => finish(createGraph(rows, newGraphRecord, options))).toThrow(why)
  const empty = finish(createGraph([], newGraphRecord, options))
  expect(() => reduce(empty, [{ type: 'operations-added', operations: rows }], 0)).toThrow(why)
})
