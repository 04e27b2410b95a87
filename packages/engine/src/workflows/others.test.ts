import { expect, test } from 'vitest'
import { run, type Script, world } from '../../test/memory-runner.ts'
import { loadGraphs, messages, newStore } from '../../test/memory-store.ts'
import { deployment, type NodeSketch } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'

const all = ['create', 'start', 'prestop', 'stop', 'delete', 'pull'].map((name) => `lifecycle.${name}`)

async function ran(
  workflow: string,
  sketches: readonly NodeSketch[],
  parameters: JsonObject = {},
  script: Script = () => ({}),
) {
  const model = deployment(
    sketches.map((sketch) => ({ operations: all, state: 'started', ...sketch })),
    { taskRetries: 0 },
  )
  const at = world(model, script, workflow, parameters)
  const memory = newStore()
  const end = await run(at, memory)
  return {
    end,
    memory,
    states: memory.stateLog,
    executed: at.executions.map(({ key }) => key),
    events: messages(memory, 'workflow_node_event'),
    graphs: loadGraphs(memory)
      .filter(({ operations }) => operations.length > 0)
      .map(({ name }) => name),
  }
}

const chain: readonly NodeSketch[] = [{ id: 'app', relationships: [{ to: 'db' }] }, { id: 'db' }]

test.each(['start', 'stop', 'pull'])('%s runs that operation in the order of dependencies', async (name) => {
  const { executed, graphs, states, events } = await ran(name, chain, { operation_parms: { fast: true } })
  expect(executed).toEqual([`db_1 lifecycle.${name}`, `app_1 lifecycle.${name}`])
  expect(graphs).toEqual([`execute_operation_cloudify.interfaces.lifecycle.${name}`])
  expect(states).toEqual([])
  expect(events[0]).toBe(
    `Starting operation cloudify.interfaces.lifecycle.${name} (Operation parameters: {'fast': True})`,
  )
})

test('their parameters may stand in for inputs of the operation', async () => {
  const sketch = { id: 'db', operation: { inputs: { size: 1 } } }
  expect((await ran('start', [sketch], { operation_parms: { size: 2 } })).end).toEqual({
    status: 'succeeded',
  })
  await expect(ran('start', [sketch], { operation_parms: 'size' })).rejects.toThrow('must be a dict')
})

test('restart stops all, then starts all, each with its own parameters', async () => {
  const given = { stop_parms: { a: 1 }, start_parms: { b: 2 }, run_by_dependency_order: false }
  const { executed, memory } = await ran('restart', chain, given)
  expect(executed).toEqual([
    ...['app_1 lifecycle.stop', 'db_1 lifecycle.stop'],
    ...['app_1 lifecycle.start', 'db_1 lifecycle.start'],
  ])
  const kwargs = [...memory.operations.values()]
    .filter(({ type }) => type === 'RemoteWorkflowTask')
    .map(({ parameters }) => parameters.task_kwargs.kwargs)
  expect(kwargs).toMatchObject([{ a: 1 }, { a: 1 }, { b: 2 }, { b: 2 }])
})

test('reinstall uninstalls and installs what is selected, and links the rest to it anew', async () => {
  const nodes: readonly NodeSketch[] = [
    { id: 'app', relationships: [{ to: 'db', source: ['establish', 'unlink'] }] },
    { id: 'db' },
  ]
  const { executed, graphs } = await ran('reinstall', nodes, { node_ids: ['db'] })
  expect(graphs).toEqual(['reinstall-uninstall', 'reinstall-install'])
  expect(executed).toEqual([
    'app_1 relationship_lifecycle.unlink to db_1',
    ...['prestop', 'stop', 'delete', 'create', 'start'].map((name) => `db_1 lifecycle.${name}`),
    'app_1 relationship_lifecycle.establish to db_1',
  ])
  const fails: Script = (key) => (key.endsWith('.stop') ? { error: { kind: 'non-recoverable' } } : {})
  expect((await ran('reinstall', nodes, {}, fails)).end).toMatchObject({ status: 'failed' })
  expect((await ran('reinstall', nodes, { ignore_failure: true }, fails)).end).toEqual({
    status: 'succeeded',
  })
})

test('rollback undoes installations that stopped half way, and nothing else', async () => {
  const { executed, states, events, graphs } = await ran('rollback', [
    { id: 'a', state: 'starting' },
    { id: 'b', state: 'creating' },
    { id: 'c', state: 'configuring' },
    ...['started', 'created', 'uninitialized'].map((state, index) => ({ id: `d${index}`, state })),
  ])
  expect(graphs).toEqual(['rollback'])
  expect(executed).toEqual(
    ['b_1 lifecycle.delete', 'c_1 lifecycle.delete', 'a_1 lifecycle.prestop', 'a_1 lifecycle.stop'].toSorted(
      (one, other) => executed.indexOf(one) - executed.indexOf(other),
    ),
  )
  const of = (id: string) => states.filter((line) => line.startsWith(id)).map((line) => line.split(' ')[1])
  expect(of('a_1')).toEqual(['stopping', 'stopped', 'configured'])
  expect(of('b_1')).toEqual(['deleting', 'uninitialized'])
  expect(of('c_1')).toEqual(['deleting', 'uninitialized'])
  expect(events).toContain('Rollback Delete: nothing to do, instance state is starting')
  expect(events).toContain('Rollback Stop: nothing to do, instance state is creating')
  expect(events.filter((text) => text === 'Rollbacked node instance')).toHaveLength(3)
  expect(events.filter((text) => text.startsWith('Stop: instance'))).toEqual([])
})

test('rollback passes over what fails; with full_rollback everything is uninstalled, failures count', async () => {
  const half = [{ id: 'a', state: 'creating' }, { id: 'b' }]
  const fails: Script = (key) =>
    key === 'a_1 lifecycle.delete' ? { error: { kind: 'non-recoverable' } } : {}
  const some = await ran('rollback', half, {}, fails)
  expect(some.end).toEqual({ status: 'succeeded' })
  expect(some.memory.instanceStates.get('b_1')).toBeUndefined()
  const full = await ran('rollback', half, { full_rollback: true, node_ids: ['a'] })
  expect(full.graphs).toEqual(['rollback', 'uninstall-auninstall'])
  expect(full.memory.instanceStates.get('b_1')).toBe('deleted')
  const failsLater: Script = (key) =>
    key === 'b_1 lifecycle.stop' ? { error: { kind: 'non-recoverable' } } : {}
  expect((await ran('rollback', half, { full_rollback: true }, failsLater)).end).toMatchObject({
    status: 'failed',
  })
})
