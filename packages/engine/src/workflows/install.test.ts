import { expect, test } from 'vitest'
import { graphPhases } from '../../test/graph-phases.ts'
import { counterIds, run, world } from '../../test/memory-runner.ts'
import { type MemoryStore, messages, newStore } from '../../test/memory-store.ts'
import { deployment, type NodeSketch } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'
import { finish } from '../work.ts'

/** Node events and state changes of an installation, in the order in which they were committed. */
async function installed(sketches: readonly NodeSketch[], parameters: JsonObject = {}) {
  const at = world(deployment(sketches), undefined, 'install', parameters)
  const memory = newStore()
  const outcome = await run(at, memory)
  return { outcome, memory, executed: at.executions.map(({ key }) => key) }
}

const nodeEvents = (memory: MemoryStore) => messages(memory, 'workflow_node_event')

test('install goes through every implemented step in the order of the lifecycle', async () => {
  const lifecycle = ['precreate', 'create', 'configure', 'start', 'poststart'].map(
    (name) => `lifecycle.${name}`,
  )
  const { outcome, memory, executed } = await installed([
    { id: 'db', operations: ['validation.create', ...lifecycle, 'monitoring.start'] },
  ])
  expect(outcome).toEqual({ status: 'succeeded' })
  expect(executed.map((key) => key.replace('db_1 ', ''))).toEqual([
    'validation.create',
    ...lifecycle,
    'monitoring.start',
  ])
  expect(nodeEvents(memory)).toEqual([
    'Validating node instance before creation',
    'Node instance validated before creation',
    'Precreating node instance',
    'Node instance precreated',
    'Creating node instance',
    'Node instance created',
    'Configuring node instance',
    'Node instance configured',
    'Starting node instance',
    'Poststarting node instance',
    'Node instance poststarted',
    'Node instance started',
  ])
  expect(memory.stateLog.map((line) => line.replace('db_1 ', ''))).toEqual([
    ...['initializing', 'creating', 'created', 'configuring', 'configured', 'starting', 'started'],
  ])
})

test('a step that is not implemented is one event and no state', async () => {
  const { memory } = await installed([{ id: 'db', operations: ['lifecycle.create'] }])
  expect(nodeEvents(memory)).toEqual([
    'Validating node instance before creation: nothing to do',
    'Precreating node instance: nothing to do',
    'Creating node instance',
    'Node instance created',
    'Configuring node instance: nothing to do',
    'Starting node instance: nothing to do',
    'Poststarting node instance: nothing to do',
    'Node instance started',
  ])
  expect(memory.instanceStates.get('db_1')).toBe('started')
  expect(memory.stateLog).not.toContain('db_1 configuring')
})

test('an instance without any operation just becomes started, in one transaction', async () => {
  const { memory, executed } = await installed([{ id: 'db' }])
  expect(executed).toEqual([])
  expect(messages(memory)).toEqual([
    "Subgraph started 'install_db_1'",
    'Node instance started (nothing to do)',
    "Subgraph succeeded 'install_db_1'",
  ])
})

test('a repeated install leaves out what the state says is done', async () => {
  const operations = ['lifecycle.precreate', 'lifecycle.create', 'lifecycle.configure', 'lifecycle.start']
  const from = async (state: string) => {
    const { executed } = await installed([{ id: 'db', operations, state }])
    return executed.map((key) => key.replace('db_1 lifecycle.', ''))
  }
  expect(await from('uninitialized')).toEqual(['precreate', 'create', 'configure', 'start'])
  expect(await from('creating')).toEqual(['create', 'configure', 'start'])
  expect(await from('created')).toEqual(['configure', 'start'])
  expect(await from('configuring')).toEqual(['configure', 'start'])
  expect(await from('configured')).toEqual(['start'])
  expect(await from('started')).toEqual([])
  expect(await from('deleted')).toEqual(['precreate', 'create', 'configure', 'start'])
})

test('an agent is created between start and poststart of its host', async () => {
  const agent = [
    'cloudify_agent.create',
    'cloudify_agent.start',
    'monitoring_agent.install',
    'monitoring_agent.start',
  ]
  const host = (properties: JsonObject) =>
    installed([
      {
        id: 'vm',
        types: ['cloudify.nodes.Compute'],
        operations: ['lifecycle.start', 'lifecycle.poststart', ...agent],
        properties,
      },
    ])
  const shortly = (keys: readonly string[]) => keys.map((key) => key.replace('vm_1 ', ''))
  const plugin = await host({ agent_config: { install_method: 'init_script' } })
  expect(shortly(plugin.executed)).toEqual(['lifecycle.start', ...agent, 'lifecycle.poststart'])
  expect(nodeEvents(plugin.memory).slice(4, 9)).toEqual([
    'Starting node instance',
    'Creating agent',
    'Agent created',
    'Waiting for agent to start',
    'Agent started',
  ])
  const remote = await host({ agent_config: { install_method: 'remote' } })
  expect(shortly(remote.executed)).not.toContain('cloudify_agent.start')
  const none = await host({ agent_config: { install_method: 'remote' }, install_agent: false })
  expect(shortly(none.executed)).not.toContain('cloudify_agent.create')
})

test('relationship operations run side by side, one relationship after another', async () => {
  const { memory, executed } = await installed([
    { id: 'net' },
    { id: 'db' },
    {
      id: 'app',
      operations: ['lifecycle.start'],
      relationships: [
        { to: 'net', source: ['establish'], target: ['establish'] },
        { to: 'db', source: ['preconfigure', 'establish'] },
      ],
    },
  ])
  expect(executed).toEqual([
    'app_1 relationship_lifecycle.preconfigure to db_1',
    'app_1 lifecycle.start',
    'app_1 relationship_lifecycle.establish to net_1',
    'net_1 relationship_lifecycle.establish from app_1',
    'app_1 relationship_lifecycle.establish to db_1',
  ])
  expect(messages(memory)).toContain("Subgraph started 'establish_subgraph'")
  expect(nodeEvents(memory)).toContain('Relationships pre-configured')
})

test('an instance waits for the whole installation of those that it is related to', async () => {
  const { executed } = await installed([
    { id: 'app', operations: ['lifecycle.create'], relationships: [{ to: 'middle' }] },
    { id: 'middle', relationships: [{ to: 'db' }] },
    { id: 'db', operations: ['lifecycle.create', 'lifecycle.poststart'] },
  ])
  expect(executed).toEqual(['db_1 lifecycle.create', 'db_1 lifecycle.poststart', 'app_1 lifecycle.create'])
})

test('order holds through instances outside the selection, and these establish to the installed ones', async () => {
  const { executed, memory } = await installed(
    [
      { id: 'app', operations: ['lifecycle.create'], relationships: [{ to: 'middle' }] },
      {
        id: 'middle',
        operations: ['lifecycle.create'],
        relationships: [{ to: 'db', source: ['establish'] }],
      },
      { id: 'db', operations: ['lifecycle.create'] },
    ],
    { node_ids: ['app', 'db'] },
  )
  expect(executed).toEqual([
    'db_1 lifecycle.create',
    'middle_1 relationship_lifecycle.establish to db_1',
    'app_1 lifecycle.create',
  ])
  expect(messages(memory)).toContain("Subgraph succeeded 'stub_middle_1'")
  expect(memory.instanceStates.has('middle_1')).toBe(false)
})

test('a relationship with an operation waits for that operation only', async () => {
  const { executed } = await installed([
    { id: 'db', operations: ['lifecycle.create', 'lifecycle.start'] },
    {
      id: 'app',
      operations: ['lifecycle.create'],
      relationships: [{ to: 'db', properties: { operation: 'create' } }],
    },
  ])
  expect(executed[0]).toBe('db_1 lifecycle.create')
  expect(executed.slice(1).sort()).toEqual(['app_1 lifecycle.create', 'db_1 lifecycle.start'])
})

test('filters are combined', async () => {
  const sketches = ['a', 'b', 'c'].map((id) => ({
    id,
    operations: ['lifecycle.create'],
    types: id === 'c' ? [] : ['my.Type'],
  }))
  const { executed } = await installed(sketches, { type_names: ['my.Type'], node_ids: ['b', 'c'] })
  expect(executed).toEqual(['b_1 lifecycle.create'])
})

test('relationships in a circle are refused with their names', async () => {
  const { outcome } = await installed([
    { id: 'a', relationships: [{ to: 'b' }] },
    { id: 'b', relationships: [{ to: 'a' }] },
  ])
  const why = '2 node instances wait for each other in a circle through their relationships (a_1, b_1)'
  expect(outcome).toEqual({ status: 'failed', error: expect.stringContaining(why) })
})

test('an operation carries what its executor needs to know', () => {
  const model = deployment([
    { id: 'db', operations: ['lifecycle.create'], operation: { inputs: { size: 3 } } },
  ])
  const [phase] = graphPhases('install', {})
  const input = { model, context: { execution_id: 'e1' }, newId: counterIds() }
  const rows = phase === undefined ? [] : finish(phase.build(input))
  const create = rows.find((row) => row.type === 'RemoteWorkflowTask')
  expect(create).toMatchObject({
    name: 'tasks.create',
    parameters: { total_retries: 60, retry_interval: 15, send_task_events: true },
  })
  expect(create?.parameters.task_kwargs).toMatchObject({
    target: 'cloudify.management',
    kwargs: {
      size: 3,
      __cloudify_context: {
        execution_id: 'e1',
        node_id: 'db_1',
        node_name: 'db',
        operation: { name: 'cloudify.interfaces.lifecycle.create', max_retries: 60 },
        plugin: { name: 'plug', package_name: 'plug-package' },
      },
    },
  })
})
