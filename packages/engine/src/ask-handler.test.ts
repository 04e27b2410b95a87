import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noParameters } from './build-graph.ts'
import { createGraph } from './create-graph.ts'
import {
  type Commit,
  finish,
  type GraphEvent,
  type GraphOptions,
  type GraphRecord,
  type HandlerAnswer,
  newGraphRecord,
  type OperationOutcome,
  type OperationParameters,
  reduce,
  type StoredOperation,
} from './index.ts'

const python = (path: string) => ({ path, asks: 'python' as const })
const row = (
  id: string,
  parameters: Partial<OperationParameters> = {},
  type: StoredOperation['type'] = 'RemoteWorkflowTask',
  dependencies: readonly string[] = [],
): StoredOperation => ({
  id,
  name: id,
  type,
  state: 'pending',
  dependencies,
  parameters: { ...noParameters, total_retries: 1, ...parameters },
})
const failure: OperationOutcome = {
  ok: false,
  error: { kind: 'non-recoverable', type: 'NonRecoverableError', message: 'no' },
}
const success: OperationOutcome = { ok: true, result: 'yes' }

/** A graph whose runner may be lost after any step: what is stored is all that the next one knows. */
function stored(rows: readonly StoredOperation[], options: Partial<GraphOptions> = {}) {
  const operations = new Map(rows.map((one) => [one.id, one]))
  let record: GraphRecord = newGraphRecord
  let ids = 0
  const all: GraphOptions = {
    newId: () => `new${++ids}`,
    waitAfterFailMs: 1e12,
    asksHandlers: true,
    ...options,
  }
  const begin = () => finish(createGraph([...operations.values()], record, all))
  let state = begin()
  const ran: string[] = []
  const asked: string[] = []

  function keep(commit: Commit): void {
    for (const one of commit.inserted) operations.set(one.id, one)
    for (const { id, ...changed } of commit.patched) {
      const known = operations.get(id)
      if (known !== undefined) operations.set(id, { ...known, ...changed })
    }
    for (const id of commit.removed) operations.delete(id)
    record = commit.record ?? record
  }

  return {
    ran,
    asked,
    operations,
    step(...events: GraphEvent[]) {
      for (;;) {
        const reduction = reduce(state, events.splice(0), 1e6)
        state = reduction.state
        if (reduction.commit !== null) keep(JSON.parse(JSON.stringify(reduction.commit)))
        for (const command of reduction.commands) {
          if (command.type === 'run') ran.push(command.operation.id)
          if (command.type === 'ask') asked.push(command.operation.id)
        }
        if (!reduction.more) return reduction.outcome
      }
    },
    lose() {
      state = begin()
    },
  }
}

const ended = (operationId: string, outcome: OperationOutcome): GraphEvent => ({
  type: 'operation-ended',
  operationId,
  atMs: 1e6,
  outcome,
})
const answered = (operationId: string, answer: HandlerAnswer): GraphEvent => ({
  type: 'handler-answered',
  operationId,
  atMs: 1e6,
  answer,
})

test('a handler decides what follows, and its operation does not run again when the runner is lost meanwhile', () => {
  const graph = stored([row('a', { on_failure: python('m.f') }), row('b', {}, 'RemoteWorkflowTask', ['a'])])
  expect(graph.step()).toBeNull()
  expect(graph.step(ended('a', failure))).toBeNull()
  expect(graph.operations.get('a')).toMatchObject({ state: 'response-sent', parameters: { answer: failure } })
  graph.lose()
  expect(graph.step()).toBeNull()
  expect({ ran: graph.ran, asked: graph.asked }).toEqual({ ran: ['a'], asked: ['a', 'a'] })
  expect(graph.step(answered('a', { action: 'done' }))).toBeNull()
  // A second answer, and one that nobody asked for.
  expect(graph.step(answered('a', { action: 'fail' }), answered('b', { action: 'fail' }))).toBeNull()
  expect(graph.ran).toEqual(['a', 'b'])
  expect(graph.step(ended('b', success))).toEqual({ status: 'succeeded' })
  expect(graph.operations.get('a')?.parameters).not.toHaveProperty('answer')
})

test('it may ask for another try, up to the total or beyond', () => {
  const graph = stored([row('a', { on_success: python('m.f'), total_retries: 0 })])
  graph.step()
  graph.step(ended('a', success))
  expect(graph.step(answered('a', { action: 'retry', ignoresTotal: true }))).toBeNull()
  graph.step(ended('new1', success))
  expect(graph.step(answered('new1', { action: 'retry', ignoresTotal: false }))).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('The handler of a has failed it'),
  })
  expect(graph.ran).toEqual(['a', 'new1'])
})

test('an operation that asks to be run again, or that was killed, is asked about by nobody', () => {
  const graph = stored([row('a', { on_failure: python('m.f'), total_retries: 1 })])
  graph.step()
  const retry = { kind: 'retry', type: 'OperationRetry', message: 'later', retryAfterMs: 0 } as const
  graph.step(ended('a', { ok: false, error: retry }))
  expect({ ran: graph.ran, asked: graph.asked }).toEqual({ ran: ['a', 'new1'], asked: [] })
})

test('the failure of what is in a subgraph is the graphs only once the handler of the subgraph says so', () => {
  const rows = [
    row('sub', { on_failure: python('m.f') }, 'SubgraphTask'),
    row('a', { containing_subgraph: 'sub', total_retries: 0 }),
    row('b', { containing_subgraph: 'sub' }, 'RemoteWorkflowTask', ['a']),
    row('after', {}, 'RemoteWorkflowTask', ['sub']),
  ]
  for (const [answer, outcome] of [
    [{ action: 'fail' }, { status: 'failed' }],
    [{ action: 'done' }, null],
    [
      {
        action: 'retry',
        ignoresTotal: true,
        again: [row('again', {}, 'SubgraphTask'), row('c', { containing_subgraph: 'again' })],
      },
      null,
    ],
  ] as const) {
    const graph = stored(rows)
    graph.step()
    expect(graph.step(ended('a', failure))).toBeNull()
    graph.lose()
    graph.step()
    const after = graph.step(answered('sub', answer))
    if (outcome === null) expect(after).toBeNull()
    else expect(after).toMatchObject(outcome)
    expect(graph.ran).toEqual(
      answer.action === 'fail' ? ['a'] : answer.action === 'done' ? ['a', 'after'] : ['a', 'c'],
    )
    if (answer.action === 'retry') {
      graph.lose()
      graph.step()
      expect(graph.step(ended('c', success))).toBeNull()
      expect(graph.step(ended('after', success))).toEqual({ status: 'succeeded' })
    }
  }
})

test('a graph that stays open takes tasks until it is closed, and their failures are not its own', () => {
  const graph = stored([], { staysOpen: true, keepsResults: true })
  expect(graph.step()).toBeNull()
  graph.step({ type: 'operations-added', operations: [row('a', { total_retries: 0 })] })
  expect(graph.step(ended('a', failure))).toBeNull()
  graph.step({ type: 'operations-added', operations: [row('b')] })
  graph.step(ended('b', success))
  expect(graph.operations.get('b')?.parameters.result).toBe('yes')
  expect(graph.step({ type: 'closed' })).toEqual({ status: 'succeeded' })
})

const answers: fc.Arbitrary<HandlerAnswer> = fc.oneof(
  fc.constant<HandlerAnswer>({ action: 'done' }),
  fc.constant<HandlerAnswer>({ action: 'fail' }),
  fc.boolean().map((ignoresTotal): HandlerAnswer => ({ action: 'retry', ignoresTotal, retryAfterMs: 0 })),
)

test('lost after any step, a graph with handlers comes to the same end, and no operation that had ended runs again', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.boolean(), answers), { minLength: 1, maxLength: 12 }),
      fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      (script, losses) => {
        const rows = ['a', 'b', 'c'].map((id, index) =>
          row(
            id,
            { on_failure: python('m.f'), ...(index === 1 && { on_success: python('m.s') }) },
            'RemoteWorkflowTask',
            index === 0 ? [] : ['a'],
          ),
        )
        const end = (isLost: (turn: number) => boolean) => {
          const graph = stored(rows)
          const over = new Set<string>()
          let outcome = graph.step()
          for (let turn = 0; outcome === null && turn < 200; turn += 1) {
            const [isWell, , answer] = script[turn % script.length] ?? [true, true, { action: 'done' }]
            const last = turn > 40 ? ({ action: 'done' } as const) : answer
            const open = [...graph.operations.values()].filter(
              ({ state }) => state === 'sent' || state === 'response-sent',
            )
            const [first] = open
            if (first === undefined) throw new Error('nothing is left to do')
            if (isLost(turn)) {
              graph.lose()
              const before = graph.ran.length
              graph.step()
              for (const id of graph.ran.slice(before)) expect(over.has(id)).toBe(false)
            }
            if (first.state === 'response-sent') outcome = graph.step(answered(first.id, last))
            else {
              over.add(first.id)
              outcome = graph.step(ended(first.id, isWell ? success : failure))
            }
          }
          return {
            outcome: outcome?.status,
            rows: [...graph.operations.values()].map(({ name, state }) => `${name} ${state}`),
          }
        }
        expect(end((turn) => losses[turn % 30] === true)).toEqual(end(() => false))
      },
    ),
  )
})
