import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Broken, pointsOf, run, type World, world } from '../test/memory-runner.ts'
import { newStore, recordOf, storeGraph } from '../test/memory-store.ts'
import { deployment } from '../test/model-builder.ts'
import type { GraphPhase, Otherwise, Phase, StoredGraph, Workflow } from './index.ts'
import { buildOperationGraph } from './workflows/execute-operation.ts'
import { selectionOf } from './workflows/selection.ts'

/** A graph of one operation, which is that of the node of the same name. */
const graph = (name: string): GraphPhase => ({
  kind: 'graph',
  name,
  cleansUpOnResume: false,
  build: (input) =>
    buildOperationGraph(
      {
        operation: 'cloudify.interfaces.lifecycle.start',
        kwargs: {},
        allowOverride: false,
        byDependencyOrder: false,
        selection: selectionOf({ node_ids: [name] }),
      },
      input,
    ),
})

type Kind = 'graph' | 'children' | Otherwise['kind']

function phaseOf(kind: Kind, index: number): Phase {
  const name = `${kind}${index}`
  const action = { kind: 'action', name, action: 'a', input: {} } as const
  switch (kind) {
    case 'graph':
      return graph(name)
    case 'children':
      return { kind, name, workflowId: 'uninstall', parameters: {}, ignoresFailure: false }
    case 'undo-after':
      return { ...action, otherwise: { kind, graphs: [graph(`back${index}`)] } }
    case 'undo':
    case 'keep':
      return { ...action, otherwise: { kind } }
  }
}

type Scenario = {
  readonly phases: readonly Phase[]
  /** What goes wrong: a phase, or `begin NAME` or `end NAME` of an action; null for nothing. */
  readonly failing: string | null
  /** By an error inside the runner instead of a failure that it tells of. */
  readonly breaks: boolean
}

const scenarios: fc.Arbitrary<Scenario> = fc
  .array(fc.constantFrom<Kind>('graph', 'children', 'undo', 'undo', 'undo-after', 'undo-after', 'keep'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((kinds) => kinds.map(phaseOf))
  .chain((phases) =>
    fc.record({
      phases: fc.constant(phases),
      failing: fc.constantFrom(
        null,
        ...phases.flatMap(({ kind, name }) =>
          kind === 'action' ? [`begin ${name}`, `end ${name}`] : [name],
        ),
      ),
      breaks: fc.boolean(),
    }),
  )

function prepared({ phases, failing, breaks }: Scenario) {
  const names = phases.flatMap(({ name }, index) => [name, `back${index}`])
  const model = deployment(
    names.map((id) => ({ id, operations: ['lifecycle.start'] })),
    { taskRetries: 0 },
  )
  const workflow: Workflow = { name: 'any', resumable: true, phases: () => phases }
  const memory = newStore()
  const isFailing = (what: string) => what === failing
  const at: World = {
    ...world(model, (key) => (isFailing(key.split('_1 ')[0] ?? '') ? { error: { message: 'no' } } : {})),
    workflow,
    children: ({ name }) => {
      if (!isFailing(name)) return { status: 'succeeded' }
      if (breaks) throw new Broken('no')
      return { status: 'failed', error: 'no' }
    },
    refusal: ({ phase, step }) => {
      if (!isFailing(`${step} ${phase.name}`)) return undefined
      if (breaks) throw new Broken('no')
      return 'no'
    },
  }
  return { at, memory }
}

/** What is to take place of actions and of the graphs that undo, in order. */
function expected({ phases, failing }: Scenario): readonly string[] {
  const fails = (name: string) => failing === name || failing === `begin ${name}`
  const failsAt = phases.findIndex(({ name }) => fails(name))
  const begun = (failsAt === -1 ? phases : phases.slice(0, failsAt)).filter(({ kind }) => kind === 'action')
  const log = begun.map(({ name }) => `begin ${name}`)
  const isFailed = failsAt !== -1 || failing?.startsWith('end ') === true
  if (!isFailed) return [...log, ...begun.map(({ name }) => `end ${name}`)]
  for (const phase of begun.toReversed()) {
    if (phase.kind !== 'action' || phase.otherwise.kind === 'keep') break
    log.push(`undo ${phase.name}`)
  }
  return log
}

test('actions are ended, or undone from the last one on, whatever fails and wherever it crashes', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const whole = prepared(scenario)
      const end = await run(whole.at, whole.memory)
      const status = scenario.failing === null ? 'succeeded' : 'failed'
      expect(end).toMatchObject({ status })
      expect(whole.memory.actions).toEqual(expected(scenario))
      const keys = whole.at.executions.map(({ key }) => key)
      for (const point of pointsOf(whole.at, 30)) {
        const { at, memory } = prepared(scenario)
        expect(await run(at, memory, point)).toBe('crashed')
        const done = new Set([...memory.operations.values()].filter(({ state }) => state === 'succeeded'))
        const ids = new Set([...done].map(({ id }) => id))
        at.executions.length = 0
        expect(await run(at, memory)).toMatchObject({ status })
        expect(memory.actions).toEqual(whole.memory.actions)
        expect(at.executions.filter(({ operationId }) => ids.has(operationId))).toEqual([])
        expect(at.executions.every(({ key }) => keys.includes(key))).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

const scaling: Scenario = {
  phases: [phaseOf('undo-after', 0), phaseOf('graph', 1)],
  failing: 'graph1',
  breaks: false,
}
const ran = ({ executions }: World) => executions.map(({ key }) => key.split('_1 ')[0])

test('a failure is undone by its graphs first, and stays the error of the execution', async () => {
  const { at, memory } = prepared(scaling)
  expect(await run(at, memory)).toEqual({
    status: 'failed',
    error: expect.stringContaining('`no`'),
    abandoned: [],
  })
  expect(ran(at)).toEqual(['graph1', 'back0'])
  expect(memory.actions).toEqual(['begin undo-after0', 'undo undo-after0'])
  memory.resumeMode = 'resume'
  await expect(run(at, memory)).rejects.toThrow('it cannot be resumed')
})

test('what could not be undone stays begun, and a resume goes back on', async () => {
  const { at, memory } = prepared(scaling)
  const failsBoth: World = { ...at, script: () => ({ error: { message: 'no' } }) }
  const end = await run(failsBoth, memory)
  expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('could not be undone') })
  expect(memory.actions).toEqual(['begin undo-after0'])
  expect(recordOf(memory).failedOperationIds).toHaveLength(1)

  for (const point of pointsOf({ ...at, counts: { commits: 0, points: 12 } }, 12)) {
    const again = structuredClone(memory)
    again.resumeMode = 'resume'
    const resumed = { ...at, executions: [], counts: { commits: 0, points: 0 } }
    const first = await run(resumed, again, point)
    const last = first === 'crashed' ? await run(resumed, again) : first
    expect(last).toMatchObject({
      status: 'failed',
      error: expect.not.stringContaining('could not be undone'),
    })
    expect(new Set(ran(resumed))).toEqual(new Set(['back0']))
    expect(again.actions).toEqual(['begin undo-after0', 'undo undo-after0'])
  }
})

test('a cancelled execution starts no graph to undo: what was begun stays for a resume', async () => {
  const { at, memory } = prepared({ ...scaling, failing: null })
  const key = 'graph1_1 lifecycle.start'
  expect(await run(at, memory, null, { cancelWhenSent: { key, mode: 'force-cancel' } })).toMatchObject({
    status: 'cancelled',
  })
  expect(memory.actions).toEqual(['begin undo-after0'])
  memory.resumeMode = 'resume'
  expect(await run(at, memory)).toMatchObject({ status: 'succeeded' })
  expect(memory.actions).toEqual(['begin undo-after0', 'end undo-after0'])
  expect(ran(at)).toEqual(['graph1', 'graph1'])
})

test('an action without graphs is undone when the execution is cancelled', async () => {
  const { at, memory } = prepared({
    ...scaling,
    phases: [phaseOf('undo', 0), phaseOf('graph', 1)],
    failing: null,
  })
  const key = 'graph1_1 lifecycle.start'
  await run(at, memory, null, { cancelWhenSent: { key, mode: 'kill' } })
  expect(memory.actions).toEqual(['begin undo0', 'undo undo0'])
})

test('a graph that a client has stored under the name of a phase is not run', async () => {
  const at = world(deployment([{ id: 'db', operations: ['lifecycle.create'] }]))
  const memory = newStore()
  const forged = { id: 'forged', name: 'install', record: {} as StoredGraph['record'], operations: [] }
  storeGraph(memory, forged)
  expect(await run(at, memory)).toEqual({
    status: 'failed',
    error: 'The tasks graph install of this execution was stored by a client of the API: it is not run',
  })
  expect(at.executions).toEqual([])
})
