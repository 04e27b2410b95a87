import { expect, test } from 'vitest'
import { run, type Script, world } from '../../test/memory-runner.ts'
import { messages, newStore } from '../../test/memory-store.ts'
import { deployment, type NodeSketch } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'

async function uninstalled(
  sketches: readonly NodeSketch[],
  parameters: JsonObject = {},
  script: Script = () => ({}),
) {
  const model = deployment(sketches.map((sketch) => ({ state: 'started', ...sketch })))
  const at = world(model, script, 'uninstall', parameters)
  const memory = newStore()
  const outcome = await run(at, memory)
  return {
    outcome,
    states: memory.stateLog.map((line) => line.split(' ')[1]),
    events: messages(memory, 'workflow_node_event'),
    all: messages(memory),
    executed: at.executions.map(({ key }) => key),
  }
}

const operations = [
  'validation.delete',
  'monitoring.stop',
  'lifecycle.prestop',
  'lifecycle.stop',
  'lifecycle.delete',
  'lifecycle.postdelete',
]

test('uninstall goes through every implemented step in the order of the lifecycle', async () => {
  const { executed, events, states, all } = await uninstalled([{ id: 'db', operations }])
  expect(executed).toEqual(operations.map((name) => `db_1 ${name}`))
  expect(states).toEqual(['stopping', 'stopped', 'deleting', 'deleted'])
  expect(events).toEqual([
    'Stopping node instance',
    'Validating node instance before deletion',
    'Node instance validated before deletion',
    'Prestopping node instance',
    'Node instance prestopped',
    'Stopped node instance',
    'Deleting node instance',
    'Postdeleting node instance',
    'Node instance postdeleted',
    'Deleted node instance',
  ])
  expect(all[0]).toBe("Subgraph started 'db_1'")
})

test('what is not implemented is said or silent', async () => {
  const { events, states } = await uninstalled([{ id: 'db' }])
  expect(events).toEqual([
    'Stopping node instance',
    'Validating node instance after deletion: nothing to do',
    'Stopped node instance: nothing to do',
    'Deleting node instance: nothing to do',
    'Deleted node instance',
  ])
  expect(states).toEqual(['stopping', 'stopped', 'deleted'])
})

test.each([
  ['stopped', ['Stop: instance already stopped', 'Deleting node instance'], ['deleting', 'deleted']],
  [
    'configured',
    ['Stop: instance already configured', 'Deleting node instance'],
    ['stopped', 'deleting', 'deleted'],
  ],
  [
    'uninitialized',
    ['Stop: instance already uninitialized', 'Delete: instance already uninitialized'],
    ['stopped', 'deleted'],
  ],
])('from %s only the rest is done', async (state, middle, states) => {
  const result = await uninstalled([{ id: 'db', state, operations: ['lifecycle.stop', 'lifecycle.delete'] }])
  expect(result.events).toEqual([
    'Validating node instance after deletion: nothing to do',
    ...middle,
    'Deleted node instance',
  ])
  expect(result.states).toEqual(states)
})

test('of a deleted instance nothing is done', async () => {
  const { events, states, executed } = await uninstalled([{ id: 'db', state: 'deleted', operations }])
  expect(events).toEqual([
    'Validating node instance after deletion: nothing to do',
    'Stop: instance already deleted',
    'Delete: instance already deleted',
  ])
  expect([states, executed]).toEqual([[], []])
})

test('sources go before targets, and relationships are unlinked in reverse order', async () => {
  const { executed } = await uninstalled([
    { id: 'net', operations: ['lifecycle.stop'] },
    { id: 'db', operations: ['lifecycle.stop'] },
    {
      id: 'app',
      operations: ['lifecycle.stop', 'lifecycle.delete'],
      relationships: [
        { to: 'net', source: ['unlink'] },
        { to: 'db', source: ['unlink'] },
      ],
    },
  ])
  expect(executed).toEqual([
    'app_1 lifecycle.stop',
    'app_1 relationship_lifecycle.unlink to db_1',
    'app_1 relationship_lifecycle.unlink to net_1',
    'app_1 lifecycle.delete',
    'net_1 lifecycle.stop',
    'db_1 lifecycle.stop',
  ])
})

test('a relationship with an operation does not order an uninstallation', async () => {
  const { executed } = await uninstalled([
    { id: 'db', operations: ['lifecycle.stop'] },
    {
      id: 'app',
      operations: ['lifecycle.stop'],
      relationships: [{ to: 'db', properties: { operation: 'create' } }],
    },
  ])
  expect(executed).toEqual(['db_1 lifecycle.stop', 'app_1 lifecycle.stop'])
})

test('the agent is gone before its host stops', async () => {
  const agent = [
    'monitoring_agent.stop',
    'monitoring_agent.uninstall',
    'cloudify_agent.stop_amqp',
    'cloudify_agent.delete',
  ]
  const { executed } = await uninstalled([
    {
      id: 'vm',
      types: ['cloudify.nodes.Compute'],
      operations: ['lifecycle.stop', 'cloudify_agent.stop', ...agent],
      properties: { agent_config: { install_method: 'plugin' } },
    },
  ])
  expect(executed).toEqual([...agent, 'lifecycle.stop'].map((name) => `vm_1 ${name}`))
})

test('with ignore_failure a failing operation is reported, not retried, and passed over', async () => {
  const script: Script = (key) => (key.endsWith('.stop') ? { error: { message: 'no such disk' } } : {})
  const { outcome, executed, events, all } = await uninstalled(
    [{ id: 'db', operations: ['lifecycle.stop', 'lifecycle.delete'] }],
    { ignore_failure: true },
    script,
  )
  expect(outcome).toEqual({ status: 'succeeded' })
  expect(executed).toEqual(['db_1 lifecycle.stop', 'db_1 lifecycle.delete'])
  expect(events).toContain('Ignoring task tasks.stop failure')
  expect(all).toContain("Task failed 'tasks.stop' -> no such disk")
})
