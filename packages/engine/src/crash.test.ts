import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Behaviour,
  keyOf,
  pointsOf,
  run,
  type Script,
  type World,
  world,
} from '../test/memory-runner.ts'
import { type MemoryStore, newStore, recordOf, terminatedCount } from '../test/memory-store.ts'
import { deployment, type NodeSketch } from '../test/model-builder.ts'
import { mayRun } from '../test/order-guard.ts'
import type { JsonObject } from './json.ts'
import type { DeploymentModel, WorkflowSettings } from './model.ts'
import { changedModel } from './node-instance-change.ts'
import { isTerminated } from './stored-operation.ts'

/** A workflow on a deployment, and what each of its operations does at each attempt. */
type Scenario = {
  readonly nodes: readonly NodeSketch[]
  readonly behaviours: readonly (readonly Behaviour[])[]
  readonly workflow: string
  readonly parameters: JsonObject
  readonly settings: Partial<WorkflowSettings>
  readonly batchSize: number
}

const lifecycle = ['precreate', 'create', 'configure', 'start', 'prestop', 'stop', 'delete', 'postdelete']
const operations = fc.subarray([
  ...lifecycle.map((name) => `lifecycle.${name}`),
  ...['validation.create', 'monitoring.start', 'cloudify_agent.create', 'cloudify_agent.delete'],
  ...['validation.check_status', 'lifecycle.check_drift', 'lifecycle.heal', 'lifecycle.postheal'],
])
const sides = fc.subarray(['preconfigure', 'postconfigure', 'establish', 'unlink', 'check_drift'])
const states = [
  ...['uninitialized', 'creating', 'created', 'configuring', 'configured', 'starting', 'started'],
  ...['stopped', 'deleted'],
]

const nodes: fc.Arbitrary<readonly NodeSketch[]> = fc
  .array(
    fc.record({
      operations,
      isHost: fc.boolean(),
      state: fc.constantFrom(...states),
      isWell: fc.constantFrom(true, false, null),
      links: fc.array(fc.record({ to: fc.nat(), source: sides, target: sides, byOperation: fc.boolean() }), {
        maxLength: 2,
      }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((sketches) =>
    sketches.map(({ isHost, isWell, links, ...sketch }, index) => ({
      ...sketch,
      ...(isWell !== null && { systemProperties: { status: { ok: isWell, task: 'before' } } }),
      id: `n${index}`,
      types: isHost ? ['cloudify.nodes.Compute'] : [],
      properties: { agent_config: { install_method: 'remote' } },
      // Only to earlier nodes, and once to each: no circles.
      relationships: [...new Map(links.map((link) => [link.to % Math.max(index, 1), link]))]
        .filter(() => index > 0)
        .map(([to, { source, target, byOperation }]) => ({
          to: `n${to}`,
          source,
          target,
          properties: byOperation ? { operation: 'create' } : {},
        })),
    })),
  )

const failures: fc.Arbitrary<Behaviour> = fc
  .record({
    kind: fc.constantFrom('recoverable', 'recoverable', 'retry', 'non-recoverable' as const),
    retryAfterMs: fc.constantFrom(0, 700, 40_000),
    takesMs: fc.constantFrom(1, 500, 3_000),
  })
  .map(({ takesMs, ...error }) => ({ error: { type: 'E', message: 'no', ...error }, takesMs }))

const workflows = [
  ...['install', 'install', 'uninstall', 'execute_operation', 'reinstall', 'start', 'restart', 'rollback'],
  ...['check_status', 'check_drift', 'heal', 'heal', 'scale', 'scale'],
]

/** What scaling `n0` by `delta` adds, with all that leads to it, or removes. */
function modificationOf({ nodeInstances }: DeploymentModel, delta: unknown): World['modifies'] {
  if (delta !== 1) return { change: { added: [], rewired: [], removed: [] }, removed: ['n0_1'] }
  const rewired = nodeInstances.flatMap(({ id, relationships }) => {
    const gained = relationships.flatMap((edge) =>
      edge.target_id === 'n0_1' ? [{ ...edge, target_id: 'n0_2' }] : [],
    )
    return gained.length === 0 ? [] : [{ id, relationships: [...relationships, ...gained] }]
  })
  const added = [{ id: 'n0_2', node_id: 'n0', relationships: [], scaling_groups: [] }]
  return { change: { added, rewired, removed: [] }, removed: [] }
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  nodes,
  behaviours: fc.array(fc.array(failures, { maxLength: 3 }), { minLength: 1, maxLength: 12 }),
  workflow: fc.constantFrom(...workflows),
  parameters: fc.record({
    node_ids: fc.subarray(['n0', 'n1', 'n2']),
    ignore_failure: fc.boolean(),
    run_by_dependency_order: fc.boolean(),
    operation: fc.constant('cloudify.interfaces.lifecycle.create'),
    full_rollback: fc.boolean(),
    // What heal is told.
    check_status: fc.boolean(),
    force_reinstall: fc.constantFrom(false, false, true),
    node_instance_id: fc.constantFrom([], [], ['n0_1']),
    // What scale is told.
    scalable_entity_name: fc.constant('n0'),
    delta: fc.constantFrom(1, -1),
    rollback_if_failed: fc.boolean(),
  }),
  settings: fc.record({ taskRetries: fc.constantFrom(0, 2, -1), subgraphRetries: fc.constantFrom(0, 0, 1) }),
  batchSize: fc.constantFrom(1, 3, 2_000),
})

function prepared(scenario: Scenario): { readonly at: World; readonly memory: MemoryStore } {
  // Independent branches are waited for, so that the end does not depend on how long anything took.
  const settings = { waitAfterFailMs: 1e12, ...scenario.settings }
  const memory = newStore()
  const { behaviours, workflow, parameters, batchSize } = scenario
  const script = (key: string, attempt: number): Behaviour =>
    behaviours[hash(key) % behaviours.length]?.[attempt] ?? { takesMs: 10 + (hash(key) % 900) }
  const onRun: World['onRun'] = (operation) => {
    const complaint = mayRun(memory, operation)
    if (complaint !== null) throw new Error(complaint)
  }
  const model = deployment(scenario.nodes, settings)
  const modifies = modificationOf(model, parameters.delta)
  const at = world(model, script, workflow, parameters)
  return { at: { ...at, onRun, batchSize, ...(modifies && { modifies }) }, memory }
}

function hash(text: string): number {
  let value = 7
  for (const letter of text) value = (value * 31 + letter.charCodeAt(0)) % 1_000_003
  return value
}

/** All that a user can see of an execution's end, without ids and times. */
function ending(memory: MemoryStore, outcome: Awaited<ReturnType<typeof run>>) {
  const failed = typeof outcome === 'object' && outcome.status === 'failed'
  return {
    status: typeof outcome === 'object' ? outcome.status : outcome,
    errors: failed ? outcome.error.split('\n').sort() : [],
    states: [...memory.instanceStates].sort(),
    found: [...memory.systemProperties].map(([id, found]) => [id, withoutTimes(found)]).sort(),
    actions: memory.actions,
    instances: memory.instanceChanges,
    rows: [...memory.operations.values()]
      .map((row) => `${keyOf(row)} ${row.state} ${row.parameters.current_retries}`)
      .sort(),
    events: memory.events.map((event) => `${event.nodeInstanceId} ${event.message}`).sort(),
    total: memory.total,
    finished: memory.finished,
  }
}

/** What was recorded, but for when, and by which of the operations. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => (key === 'timestamp' || key === 'task' ? undefined : inner)),
  )

type Ending = ReturnType<typeof ending>

/**
 * The same end, but where several operations fail for good at nearly the same time: the first of them lets nothing new
 * begin, so a crash, which takes time, may decide which of the others still began (seed -864582983 of the last test).
 */
function expectSameEnd(actual: Ending, expected: Ending): void {
  const haveRaced = actual.errors.length > 1 || expected.errors.length > 1
  if (haveRaced) expect(actual.status).toBe(expected.status)
  else expect(actual).toEqual(expected)
}

/** Operations that were run although their end had been stored. */
function repeated(at: World, doneBefore: ReadonlySet<string>): readonly string[] {
  return at.executions.filter(({ operationId }) => doneBefore.has(operationId)).map(({ key }) => key)
}

/** What is left of a modification fits how the execution ended, and no relationship leads nowhere. */
function checkModified(
  { workflow, parameters }: Scenario,
  at: World,
  memory: MemoryStore,
  { status, errors }: Ending,
): void {
  const { nodeInstances } = memory.instanceChanges.reduce(changedModel, at.model)
  const ids = new Set(nodeInstances.map(({ id }) => id))
  for (const { relationships } of nodeInstances) {
    for (const { target_id: target } of relationships) expect(ids).toContain(target)
  }
  if (workflow !== 'scale') {
    expect([memory.actions, memory.instanceChanges]).toEqual([[], []])
    return
  }
  const last = status === 'succeeded' ? 'end' : 'undo'
  const isKept = parameters.delta === 1 && parameters.rollback_if_failed === false
  // An operation that asks to be retried until nobody does any more fails what ignores failures, too.
  const isStuck = errors.some((line) => line.startsWith('What it had begun could not be undone'))
  const stays = status === 'failed' && (isKept || isStuck)
  expect(memory.actions).toEqual(['begin modify', ...(stays ? [] : [`${last} modify`])])
  expect(memory.modification === null).toBe(!stays)
  const count = nodeInstances.filter(({ node_id }) => node_id === 'n0').length
  expect(count).toBe(status === 'succeeded' ? 1 + Number(parameters.delta) : stays ? 2 : 1)
}

const done = (memory: MemoryStore) =>
  new Set([...memory.operations.values()].filter((row) => isTerminated(row.state)).map((row) => row.id))

test('a crash at any moment changes nothing but which operations in flight are run again', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const whole = prepared(scenario)
      const expected = ending(whole.memory, await run(whole.at, whole.memory))
      expect(whole.memory.finished).toBe(terminatedCount(whole.memory))
      checkModified(scenario, whole.at, whole.memory, expected)
      const everyOperationOnce = new Set(whole.at.executions.map(({ operationId }) => operationId))
      expect(everyOperationOnce.size).toBe(whole.at.executions.length)
      for (const point of pointsOf(whole.at, 25)) {
        const { at, memory } = prepared(scenario)
        const first = await run(at, memory, point)
        const doneBefore = done(memory)
        const executedBefore = new Set(at.executions.splice(0).map(({ operationId }) => operationId))
        const outcome = first === 'crashed' ? await run(at, memory) : first
        expectSameEnd(ending(memory, outcome), expected)
        expect(memory.finished).toBe(terminatedCount(memory))
        expect(repeated(at, doneBefore)).toEqual([])
        const again = at.executions.filter(({ operationId }) => executedBefore.has(operationId))
        expect(again.every(({ resume }) => resume)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

test('a crash neither shortens nor prolongs the wait before a retry', async () => {
  const nodes: readonly NodeSketch[] = [{ id: 'db', operations: ['lifecycle.create'] }]
  const whole = failsFirst(nodes)
  await run(whole.at, whole.memory)
  const starts = whole.at.executions.map(({ atMs }) => atMs)
  expect(starts).toEqual([1_000_000, 1_016_000])
  for (let point = 1; point <= whole.at.counts.points; point += 1) {
    const { at, memory } = failsFirst(nodes)
    expect(await run(at, memory, point)).toBe('crashed')
    const isFailed = [...memory.operations.values()].some(({ state }) => state === 'failed')
    await run(at, memory)
    const retry = at.executions.find(({ operationId }) => operationId !== at.executions[0]?.operationId)
    if (isFailed) expect(retry?.atMs).toBe(1_016_000)
  }
})

test('a crash does not prolong wait_after_fail', async () => {
  const nodes: readonly NodeSketch[] = ['a', 'b'].map((id) => ({ id, operations: ['lifecycle.create'] }))
  const { at, memory } = failsFirst(nodes, { taskRetries: 0, waitAfterFailMs: 20_000 }, 'a_1', 50_000)
  const failed = () => recordOf(memory).failDeadlineMs !== null
  while (!failed()) await run(at, memory, at.counts.points + 4)
  expect(await run(at, memory)).toMatchObject({ status: 'failed' })
  expect(at.clock.nowMs).toBe(1_021_000)
})

test('a graph whose cancellation is stored is not taken up again by the next runner', async () => {
  const nodes: readonly NodeSketch[] = [{ id: 'db', operations: ['lifecycle.create', 'lifecycle.start'] }]
  const requests = { cancelWhenSent: { key: 'db_1 lifecycle.create', mode: 'force-cancel' } } as const
  const whole = failsFirst(nodes)
  await run(whole.at, whole.memory, null, requests)
  let cancelled = 0
  for (let point = 1; point <= whole.at.counts.points; point += 1) {
    const { at, memory } = failsFirst(nodes)
    expect(await run(at, memory, point, requests)).toBe('crashed')
    if (recordOf(memory).cancel === null) continue
    cancelled += 1
    at.executions.length = 0
    expect(await run(at, memory)).toEqual({ status: 'cancelled', abandoned: [] })
    expect(at.executions).toEqual([])
  }
  expect(cancelled).toBeGreaterThan(0)
})

/** An installation whose operations on `failing` fail at their first attempt. */
function failsFirst(
  nodes: readonly NodeSketch[],
  settings: Partial<WorkflowSettings> = {},
  failing = '',
  takesMs = 1_000,
) {
  const script: Script = (key, attempt) =>
    attempt === 0 && key.startsWith(failing) ? { error: { kind: 'recoverable' } } : { takesMs }
  return { at: world(deployment(nodes, settings), script), memory: newStore() }
}

test('a runner that crashes again and again comes to the same end', async () => {
  const pointsLived = fc.constantFrom(2, 3, 4, 5)
  await fc.assert(
    fc.asyncProperty(scenarios, pointsLived, async (scenario, points) => {
      const whole = prepared(scenario)
      const expected = ending(whole.memory, await run(whole.at, whole.memory))
      const { at, memory } = prepared(scenario)
      let outcome: Awaited<ReturnType<typeof run>> = 'crashed'
      // Each lives a little longer: what was in flight may be more than all points that one had.
      for (let lives = points; outcome === 'crashed'; lives += 1) {
        const doneBefore = done(memory)
        at.executions.length = 0
        outcome = await run(at, memory, at.counts.points + lives)
        expect(repeated(at, doneBefore)).toEqual([])
      }
      expectSameEnd(ending(memory, outcome), expected)
      expect(memory.finished).toBe(terminatedCount(memory))
    }),
    { numRuns: 300 },
  )
})
