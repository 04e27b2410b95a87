import fc from 'fast-check'
import { expect, test } from 'vitest'
import { graphPhases } from '../test/graph-phases.ts'
import { type Behaviour, counterIds, pointsOf, run, type World, world } from '../test/memory-runner.ts'
import { newStore, terminatedCount } from '../test/memory-store.ts'
import { deployment } from '../test/model-builder.ts'
import { mayRun } from '../test/order-guard.ts'
import { noParameters } from './build-graph.ts'
import { createGraph, finish, newGraphRecord, reduce, type StoredOperation, WorkflowError } from './index.ts'

const model = deployment(
  ['a', 'b'].map((id) => ({ id, operations: ['lifecycle.create', 'lifecycle.start'] })),
  { waitAfterFailMs: 1e12, taskRetries: 2 },
)

/** A task that an executor runs, named so that the script of the memory runner finds it. */
function row(
  id: string,
  dependencies: readonly string[],
  changed: Partial<StoredOperation> = {},
): StoredOperation {
  const parameters = { ...noParameters, total_retries: 2, retry_interval: 1 }
  return { id, name: id, type: 'RemoteWorkflowTask', state: 'pending', dependencies, parameters, ...changed }
}

const within = (subgraph: string) => ({
  parameters: { ...noParameters, total_retries: 2, retry_interval: 1, containing_subgraph: subgraph },
})

type Addition = {
  readonly waitsFor: readonly number[]
  readonly inSubgraph: boolean
}

const additions = fc.array(
  fc.record({ waitsFor: fc.array(fc.nat(), { maxLength: 2 }), inSubgraph: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
)
const outcomes = fc.array(
  fc.constantFrom<Behaviour>({}, { takesMs: 10 }, { error: {} }, { error: { kind: 'retry' }, takesMs: 700 }),
  { minLength: 1, maxLength: 5 },
)

function prepared(added: readonly Addition[], behaviours: readonly Behaviour[]) {
  const [phase] = graphPhases('install', {})
  // With the ids that the runner gives them.
  const rows = phase === undefined ? [] : finish(phase.build({ model, context: {}, newId: counterIds() }))
  const memory = newStore()
  // Subgraphs of the graph have started or not by then; what waits for itself by them would never start.
  const rest = ['sub', ...added.map((_, index) => `x${index}`)]
  const operations = [
    row('sub', [], { type: 'SubgraphTask', parameters: noParameters }),
    ...added.map(({ waitsFor, inSubgraph }, index) => {
      const before = [
        ...rows.map(({ id }) => id),
        ...(inSubgraph ? [] : ['sub']),
        ...rest.slice(1, index + 1),
      ]
      const dependencies = [...new Set(waitsFor.map((at) => before[at % before.length] ?? ''))]
      const isBeside = dependencies.some(
        (id) => added[Number(id.slice(1))]?.inSubgraph === false && id.startsWith('x'),
      )
      return row(`x${index}`, dependencies, inSubgraph && !isBeside ? within('sub') : {})
    }),
  ]
  const script: World['script'] = (key, attempt) =>
    attempt === 0 ? (behaviours[key.length % behaviours.length] ?? {}) : {}
  const onRun: World['onRun'] = (operation) => {
    const complaint = mayRun(memory, operation)
    if (complaint !== null) throw new Error(complaint)
  }
  const at: World = { ...world(model, script), onRun, added: operations }
  return { at, memory, operations }
}

test('added operations run in their order, once, wherever the runner crashes', async () => {
  await fc.assert(
    fc.asyncProperty(additions, outcomes, async (added, behaviours) => {
      const whole = prepared(added, behaviours)
      const expected = await run(whole.at, whole.memory)
      const states = (memory: typeof whole.memory) =>
        [...memory.operations.values()].map(({ name, state }) => `${name} ${state}`).sort()
      expect(whole.operations.every(({ id }) => whole.memory.operations.has(id))).toBe(true)
      // Once the graph is stored, whose operations the new ones name.
      for (const point of pointsOf(whole.at, 15, 2)) {
        const { at, memory } = prepared(added, behaviours)
        expect(await run(at, memory, point)).toBe('crashed')
        expect(await run(at, memory)).toEqual(expected)
        expect(states(memory)).toEqual(states(whole.memory))
        expect(memory.total).toBe(whole.memory.total)
        expect(memory.finished).toBe(terminatedCount(memory))
      }
    }),
    { numRuns: 30 },
  )
})

function graphOf(rows: readonly StoredOperation[]) {
  return finish(createGraph(rows, newGraphRecord, { newId: counterIds('new'), waitAfterFailMs: 0 }))
}

test('what waits for a retried operation waits for its retry', () => {
  const first = reduce(graphOf([row('a', []), row('b', [])]), [], 0)
  const error = { kind: 'recoverable', type: 'E', message: 'no' } as const
  const failed = reduce(
    first.state,
    [
      { type: 'operation-ended', operationId: 'a', atMs: 1, outcome: { ok: false, error } },
      { type: 'operations-added', operations: [row('after', ['a'])] },
    ],
    1,
  )
  expect(failed.commit?.inserted.map(({ id }) => id)).toEqual(['new1', 'after'])
  const retried = reduce(failed.state, [], 2_000)
  expect(retried.commands).toMatchObject([{ operation: { id: 'new1' } }])
  const ended = { type: 'operation-ended', operationId: 'new1', atMs: 2_001 } as const
  const done = reduce(retried.state, [{ ...ended, outcome: { ok: true, result: null } }], 2_001)
  expect(done.commands).toMatchObject([{ operation: { id: 'after' } }])
})

test.each([
  ['no pending one', row('x', [], { state: 'succeeded' }), 'it is succeeded, not pending'],
  ['one that waits for nothing there', row('x', ['y']), 'it waits for y, which is not in the graph'],
  ['one in nothing there', row('x', [], within('y')), 'y is no subgraph of the graph'],
  ['one in an operation', row('x', [], within('a')), 'a is no subgraph of the graph'],
  ['a retry', row('x', [], { parameters: { ...noParameters, retried_task: 'a' } }), 'it is a retry'],
])('%s is added', (_, added, why) => {
  const { state } = reduce(graphOf([row('a', [])]), [], 0)
  const add = () => reduce(state, [{ type: 'operations-added', operations: [row('fine', []), added] }], 1)
  expect(add).toThrow(WorkflowError)
  expect(add).toThrow(why)
  expect(reduce(state, [], 1).commit).toBeNull()
})
