import { expect, test } from 'vitest'
import { graphPhases } from '../test/graph-phases.ts'
import { counterIds, type Requests, run, type Script, type World, world } from '../test/memory-runner.ts'
import { type MemoryStore, messages, newStore, terminatedCount } from '../test/memory-store.ts'
import { deployment, type NodeSketch } from '../test/model-builder.ts'
import { buildGraph } from './build-graph.ts'
import { newGraphRecord } from './commit.ts'
import { createGraph } from './create-graph.ts'
import type { WorkflowSettings } from './model.ts'
import { reduce } from './reduce.ts'
import type { Step } from './step.ts'
import { finish } from './work.ts'

type Run = {
  readonly at: World
  readonly memory: MemoryStore
  readonly outcome: Awaited<ReturnType<typeof run>>
  readonly sent: readonly string[]
}

async function installing(
  sketches: readonly NodeSketch[],
  script: Script,
  settings: Partial<WorkflowSettings> = {},
  options: { readonly requests?: Requests; readonly dryRun?: boolean } = {},
): Promise<Run> {
  const at = { ...world(deployment(sketches, settings), script), dryRun: options.dryRun ?? false }
  const memory = newStore()
  const outcome = await run(at, memory, null, options.requests)
  const sent = at.executions.map(({ key, atMs }) => `${key} ${(atMs - 1_000_000) / 1000}s`)
  return { at, memory, outcome, sent }
}

const one: readonly NodeSketch[] = [{ id: 'db', operations: ['lifecycle.create'] }]

test('a recoverable failure is retried as a new row after the interval', async () => {
  const script: Script = (_, attempt) =>
    attempt < 2 ? { error: { message: 'busy' } } : { result: { ok: true } }
  const { memory, outcome, sent } = await installing(one, script, { taskRetries: 2 })
  expect(outcome).toEqual({ status: 'succeeded' })
  expect(sent).toEqual(['db_1 lifecycle.create 0s', 'db_1 lifecycle.create 16s', 'db_1 lifecycle.create 32s'])
  expect(messages(memory).filter((message) => message.includes('tasks.create'))).toEqual([
    "Sending task 'tasks.create'",
    "Task started 'tasks.create'",
    "Task failed 'tasks.create' -> busy",
    "Sending task 'tasks.create' [retry 1/2]",
    "Task started 'tasks.create' [retry 1/2]",
    "Task failed 'tasks.create' -> busy [retry 1/2]",
    "Sending task 'tasks.create' [retry 2/2]",
    "Task started 'tasks.create' [retry 2/2]",
    "Task succeeded 'tasks.create' - {'ok': True} [retry 2/2]",
  ])
  const rows = [...memory.operations.values()].filter((row) => row.name === 'tasks.create')
  expect(rows.map((row) => [row.state, row.parameters.current_retries])).toEqual([
    ['failed', 0],
    ['failed', 1],
    ['succeeded', 2],
  ])
  expect(rows[1]?.parameters.retried_task).toBe(rows[0]?.id)
  expect([memory.finished, memory.total]).toEqual([terminatedCount(memory), terminatedCount(memory)])
})

test('retries end at the limit, and the failure says which operation of which instance', async () => {
  const traceback = 'Traceback (most recent call last):\n  File "tasks.py", line 3, in create\n'
  const script: Script = () => ({ error: { message: 'busy', type: 'OSError', traceback } })
  const { outcome, sent, memory } = await installing(one, script, { taskRetries: 1 })
  expect(sent.length).toBe(2)
  expect(outcome).toEqual({
    status: 'failed',
    abandoned: [],
    error:
      'Task failed: tasks.create (db_1:cloudify.interfaces.lifecycle.create): OSError `busy`\n' +
      'Traceback of tasks.create (db_1:cloudify.interfaces.lifecycle.create) (most recent call last):\n' +
      '  File "tasks.py", line 3, in create',
  })
  expect(messages(memory, 'task_failed').at(-1)).toBe("Subgraph failed 'install_db_1' -> busy")
  expect(memory.events.find((event) => event.type === 'task_failed')).toMatchObject({
    operation: 'cloudify.interfaces.lifecycle.create',
    nodeInstanceId: 'db_1',
    errorCauses: [{ message: 'busy', type: 'OSError', traceback }],
  })
  expect(memory.instanceStates.get('db_1')).toBe('creating')
})

test('retry_after overrides the interval; without limit no total is shown', async () => {
  const script: Script = (_, attempt) => (attempt === 0 ? { error: { retryAfterMs: 5_000 } } : {})
  const { sent, memory } = await installing(one, script, { taskRetries: -1 })
  expect(sent[1]).toBe('db_1 lifecycle.create 6s')
  expect(messages(memory)).toContain("Task succeeded 'tasks.create' [retry 1]")
})

test('an operation that asks for a retry is rescheduled', async () => {
  const script: Script = (_, attempt) =>
    attempt === 0 ? { error: { kind: 'retry', message: 'not yet' } } : {}
  const { memory, outcome } = await installing(one, script)
  expect(outcome).toEqual({ status: 'succeeded' })
  expect(messages(memory, 'task_rescheduled')).toEqual(["Task rescheduled 'tasks.create' -> not yet"])
  expect([...memory.operations.values()].map((row) => row.state)).toContain('rescheduled')
})

test('a retry that was asked for too often fails even where failures are ignored', async () => {
  const model = deployment([{ id: 'db', state: 'started', operations: ['lifecycle.stop'] }], {
    taskRetries: 1,
  })
  const again: Script = () => ({ error: { kind: 'retry', type: 'OperationRetry', message: 'not yet' } })
  const at = world(model, again, 'uninstall', { ignore_failure: true })
  expect(await run(at, newStore())).toMatchObject({ status: 'failed' })
  expect(at.executions.length).toBe(2)
})

test('a non-recoverable failure is not retried', async () => {
  const { sent } = await installing(one, () => ({ error: { kind: 'non-recoverable' } }))
  expect(sent.length).toBe(1)
})

test('a falsy host state is asked for again without limit', async () => {
  const vm: NodeSketch = { id: 'vm', types: ['cloudify.nodes.Compute'], operations: ['host.get_state'] }
  const script: Script = (_, attempt) => ({ result: attempt >= 3 })
  const { sent, outcome } = await installing([vm], script, { taskRetries: 1 })
  expect([sent.length, outcome]).toEqual([4, { status: 'succeeded' }])
})

const twoBranches: readonly NodeSketch[] = [
  { id: 'bad', operations: ['lifecycle.create'] },
  { id: 'after', operations: ['lifecycle.create'], relationships: [{ to: 'bad' }] },
  { id: 'good', operations: ['lifecycle.create', 'lifecycle.configure', 'lifecycle.start'] },
]
const badFails: Script = (key) =>
  key.startsWith('bad') ? { error: { kind: 'non-recoverable', type: 'E' } } : { takesMs: 10_000 }

test('after a failure independent branches go on, dependants never start', async () => {
  const { outcome, sent } = await installing(twoBranches, badFails)
  expect(outcome).toMatchObject({ status: 'failed', abandoned: [] })
  expect(sent).toEqual([
    'bad_1 lifecycle.create 0s',
    'good_1 lifecycle.create 0s',
    'good_1 lifecycle.configure 10s',
    'good_1 lifecycle.start 20s',
  ])
})

test('wait_after_fail ends the wait, whatever still runs', async () => {
  const { outcome, sent, at } = await installing(twoBranches, badFails, { waitAfterFailMs: 15_000 })
  expect(sent.at(-1)).toBe('good_1 lifecycle.configure 10s')
  expect(at.clock.nowMs - 1_000_000).toBe(16_000)
  expect(outcome).toMatchObject({ status: 'failed', abandoned: [expect.any(String)] })
})

test('several failures are counted and listed', async () => {
  const { outcome } = await installing(
    ['a', 'b'].map((id) => ({ id, operations: ['lifecycle.create'] })),
    (key) => ({ error: { kind: 'non-recoverable', type: 'E', message: key.slice(0, 3) } }),
  )
  expect(outcome).toMatchObject({
    error:
      '2 operation errors:\n' +
      'Task failed: tasks.create (a_1:cloudify.interfaces.lifecycle.create): E `a_1`\n' +
      'Task failed: tasks.create (b_1:cloudify.interfaces.lifecycle.create): E `b_1`',
  })
})

test('a failed installation is undone and begun again as often as subgraph_retries allows', async () => {
  const sketches: readonly NodeSketch[] = [
    { id: 'db', operations: ['lifecycle.create', 'lifecycle.start', 'lifecycle.delete'] },
    { id: 'app', operations: ['lifecycle.create'], relationships: [{ to: 'db' }] },
  ]
  const failing =
    (times: number): Script =>
    (key, attempt) =>
      key === 'db_1 lifecycle.start' && attempt < times
        ? { error: { kind: 'non-recoverable', message: 'no' } }
        : {}
  const again = await installing(sketches, failing(1), { subgraphRetries: 1 })
  expect(again.outcome).toEqual({ status: 'succeeded' })
  expect(again.at.executions.map(({ key }) => key)).toEqual([
    'db_1 lifecycle.create',
    'db_1 lifecycle.start',
    'db_1 lifecycle.delete',
    'db_1 lifecycle.create',
    'db_1 lifecycle.start',
    'app_1 lifecycle.create',
  ])
  expect(messages(again.memory)).toContain('Node lifecycle failed. Attempting to re-run node lifecycle')
  expect(messages(again.memory)).toContain("Subgraph succeeded 'reinstall_db_1' [retry 1/1]")
  expect([again.memory.finished, again.memory.total]).toEqual([
    terminatedCount(again.memory),
    terminatedCount(again.memory),
  ])
  const given = await installing(sketches, failing(2), { subgraphRetries: 1 })
  expect(given.outcome).toMatchObject({ status: 'failed' })
})

const chain: readonly NodeSketch[] = [
  { id: 'db', operations: ['lifecycle.create', 'lifecycle.start'] },
  { id: 'app', operations: ['lifecycle.create'] },
]

test.each(['cancel', 'force-cancel'] as const)(
  '%s waits for nothing and starts nothing more',
  async (mode) => {
    const requests: Requests = { cancelWhenSent: { key: 'db_1 lifecycle.create', mode } }
    const { outcome, sent } = await installing(chain, () => ({}), {}, { requests })
    expect(outcome).toMatchObject({
      status: 'cancelled',
      abandoned: [expect.any(String), expect.any(String)],
    })
    expect(sent).toEqual(['db_1 lifecycle.create 0s', 'app_1 lifecycle.create 0s'])
  },
)

test('kill names what to kill', () => {
  const graph = oneTaskGraph()
  const [run] = reduce(graph, [], 0).commands
  const operationIds = run?.type === 'run' ? [run.operation.id] : []
  const killed = reduce(graph, [{ type: 'cancel-requested', mode: 'kill' }], 1)
  expect(killed.commands).toEqual([{ type: 'kill', operationIds }])
  expect(killed.outcome).toEqual({ status: 'cancelled', abandoned: operationIds })
})

test.each(['cancel', 'force-cancel'] as const)(
  'an answer that comes after a %s is recorded, one that comes twice is not',
  (mode) => {
    const graph = oneTaskGraph()
    const [command] = reduce(graph, [], 0).commands
    const operationId = command?.type === 'run' ? command.operation.id : ''
    reduce(graph, [{ type: 'cancel-requested', mode }], 1)
    const answer = {
      type: 'operation-ended',
      operationId,
      atMs: 2,
      outcome: { ok: true, result: null },
    } as const
    const late = reduce(graph, [answer], 2)
    expect(late.commit?.patched).toContainEqual({ id: operationId, state: 'succeeded' })
    expect(late.commands).toEqual([])
    expect(reduce(graph, [answer], 3).commit).toBeNull()
  },
)

function oneTaskGraph() {
  const task: Step = { kind: 'task', type: 'RemoteWorkflowTask', name: 'a.b', taskKwargs: {} }
  const step = { kind: 'subgraph', name: 'only', steps: [task] } as const
  const newId = counterIds()
  const rows = finish(buildGraph({ parts: [{ key: 'only', step, waitsFor: [] }] }, newId))
  return finish(createGraph(rows, newGraphRecord, { newId, waitAfterFailMs: 0 }))
}

test('a dry run tells everything and does nothing', async () => {
  const { outcome, sent, memory } = await installing(one, () => ({}), {}, { dryRun: true })
  expect([outcome, sent, memory.stateLog, memory.finished]).toEqual([{ status: 'succeeded' }, [], [], 0])
  expect(messages(memory)).toContain("Task succeeded 'tasks.create' (dry run)")
  expect(messages(memory)).toContain('Node instance created (dry run)')
  expect(messages(memory).filter((message) => message.startsWith('Subgraph'))).toEqual([])
  expect(memory.operations.size).toBe(0)
})

test('three thousand operations that need no executor take a few transactions', async () => {
  const sketches = Array.from({ length: 1_000 }, (_, index) => ({
    id: `n${index}`,
    ...(index === 0 ? {} : { relationships: [{ to: `n${index - 1}` }] }),
  }))
  const { at, outcome, memory } = await installing(sketches, () => ({}))
  expect(outcome).toEqual({ status: 'succeeded' })
  expect(memory.finished).toBe(3_000)
  // With the one that stores the graph.
  expect(at.counts.commits).toBe(7)
})

test('a graph in which nothing can go on ends with an error instead of waiting for ever', () => {
  const newId = counterIds()
  const task: Step = { kind: 'task', type: 'RemoteWorkflowTask', name: 'a.b', taskKwargs: {} }
  const step = { kind: 'subgraph', name: 'only', steps: [task] } as const
  const rows = finish(buildGraph({ parts: [{ key: 'only', step, waitsFor: [] }] }, newId))
  const circle = rows.map((row) => ({ ...row, dependencies: [row.id] }))
  const graph = finish(createGraph(circle, newGraphRecord, { newId, waitAfterFailMs: 0 }))
  expect(reduce(graph, [], 0).outcome).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('The tasks graph cannot go on: 2 operations wait'),
  })
})

test('a runner that is about to leave takes answers in and starts nothing more', () => {
  const model = deployment(one)
  const newId = counterIds()
  const [phase] = graphPhases('install', {})
  const rows = phase === undefined ? [] : finish(phase.build({ model, context: {}, newId }))
  const graph = finish(createGraph(rows, newGraphRecord, { waitAfterFailMs: 0, newId }))
  expect(reduce(graph, [], 1_000, false)).toMatchObject({
    commit: null,
    commands: [],
    outcome: null,
    more: false,
  })

  const started = reduce(graph, [], 1_000)
  const [command] = started.commands
  const operationId = command?.type === 'run' ? command.operation.id : ''
  const event = {
    type: 'operation-ended',
    operationId,
    atMs: 2_000,
    outcome: { ok: true, result: null },
  } as const
  const leaving = reduce(started.state, [event], 2_000, false)
  expect(leaving.commit?.patched).toContainEqual({ id: operationId, state: 'succeeded' })
  expect(leaving).toMatchObject({ commands: [], outcome: null, more: false })
  expect(reduce(leaving.state, [], 3_000).outcome).toEqual({ status: 'succeeded' })
})

test('what an operation says is stored among the events of its graph, and alone', () => {
  const graph = oneTaskGraph()
  const [sent] = reduce(graph, [], 1).commands
  const operationId = sent?.type === 'run' ? sent.operation.id : ''
  const record = {
    ...{
      isLog: true,
      timestampMs: 2,
      message: 'said',
      type: null,
      level: 'info',
      logger: null,
      operation: null,
    },
    ...{ nodeInstanceId: null, sourceId: null, targetId: null, errorCauses: [] },
  }
  const said = { type: 'operation-said', records: [record] } as const
  expect(reduce(graph, [said], 2).commit).toMatchObject({ events: [record], patched: [], record: null })
  const outcome = { ok: true, result: null } as const
  const ended = { type: 'operation-ended', operationId, atMs: 3, startedAtMs: 2, outcome } as const
  const events = reduce(graph, [{ type: 'operation-started', operationId, atMs: 2 }, said, ended], 3).commit
    ?.events
  expect(events?.map(({ message }) => message)).toEqual(['said', "Subgraph succeeded 'only'"])
})
