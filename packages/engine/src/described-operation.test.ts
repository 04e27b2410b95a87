import { expect, test } from 'vitest'
import { deployment } from '../test/model-builder.ts'
import { buildScope } from './build-scope.ts'
import { checkOrder } from './check-order.ts'
import { describedOperation } from './described-operation.ts'
import { finish, type JsonObject, type JsonValue, WorkflowError } from './index.ts'

const scope = buildScope({
  model: deployment([{ id: 'web', operations: ['lifecycle.create'] }]),
  context: { execution_id: 'mine', deployment_id: 'own', tenant: { name: 't' } },
})
const task = (changed: JsonObject = {}, parameters: JsonObject = {}): JsonObject => ({
  id: 'a',
  name: 'n',
  type: 'LocalWorkflowTask',
  state: 'pending',
  dependencies: [],
  parameters: { total_retries: 1, retry_interval: 2, ...parameters },
  ...changed,
})
const remote = (context: JsonObject) =>
  task({ type: 'RemoteWorkflowTask' }, { task_kwargs: { kwargs: { x: 1, __cloudify_context: context } } })

test('of an operation, what is the same for the whole execution is not taken from who describes it', () => {
  const { parameters, state } = describedOperation(
    {
      ...remote({
        task_name: 'm.f',
        node_id: 'web_1',
        node_name: 'other',
        host_id: 'other',
        execution_id: 'foreign',
        deployment_id: 'foreign',
        tenant: { name: 'foreign' },
        execution_token: 'secret',
        execution_env: { LD_PRELOAD: 'x' },
        plugin: { name: 'script', package_name: 'other' },
      }),
      state: 'succeeded',
    },
    scope,
  )
  expect(state).toBe('pending')
  expect(parameters.task_kwargs.kwargs).toMatchObject({
    x: 1,
    __cloudify_context: {
      execution_id: 'mine',
      deployment_id: 'own',
      tenant: { name: 't' },
      node_id: 'web_1',
      node_name: 'web',
      host_id: null,
    },
  })
  expect(JSON.stringify(parameters)).not.toMatch(/foreign|secret|LD_PRELOAD/)
})

test.each<readonly [string, JsonValue]>([
  ['an instance of somebody else', remote({ task_name: 'm.f', node_id: 'theirs_1' })],
  [
    'one that it is related to',
    remote({ task_name: 'm.f', node_id: 'web_1', related: { node_id: 'theirs_1' } }),
  ],
  [
    'one whose state is set',
    task({ type: 'SetNodeInstanceStateTask' }, { task_kwargs: { node_instance_id: 'theirs_1', state: 'x' } }),
  ],
  [
    'one that an event is about',
    task({ type: 'SendNodeEventTask' }, { task_kwargs: { node_instance_id: 'theirs_1' } }),
  ],
  ['an operation without a function', remote({ node_id: 'web_1' })],
  ['a type that changes instances', task({ type: 'ChangeNodeInstancesTask' })],
  ['no id', task({ id: '' })],
  ['an id that is none', task({ id: "a'; drop table" })],
  ['no name', task({ name: null })],
  ['no parameters', { ...task(), parameters: 'x' }],
  ['less than no retries', task({}, { total_retries: -2 })],
  ['a handler without a path', task({}, { on_failure: {} })],
  ['dependencies that are no list', task({ dependencies: 'b' })],
  ['no task', 'x'],
])('%s is refused', (_, described) => {
  expect(() => describedOperation(described, scope)).toThrow(WorkflowError)
})

test('rows must have an order', () => {
  const row = (
    id: string,
    dependencies: readonly string[] = [],
    outer: string | null = null,
    type = 'LocalWorkflowTask',
  ) => describedOperation(task({ id, type, dependencies }, { containing_subgraph: outer }), scope)
  const check = (...rows: ReturnType<typeof row>[]) => finish(checkOrder(rows, new Set(['known'])))
  const sub = row('s', [], null, 'SubgraphTask')
  check(sub, row('in', ['known'], 's'), row('after', ['s']), row('b', ['in', 'gone']))
  for (const rows of [
    [row('a', ['a'])],
    [row('a', ['b']), row('b', ['a'])],
    [row('a'), row('a')],
    [row('known')],
    [row('in', [], 's'), sub],
    [row('x'), row('in', [], 'x')],
    // What is in a subgraph cannot wait for its end, also by way of others.
    [sub, row('in', ['s'], 's')],
    [sub, row('in', ['after'], 's'), row('after', ['s'])],
  ]) {
    expect(() => check(...rows)).toThrow(WorkflowError)
  }
})
