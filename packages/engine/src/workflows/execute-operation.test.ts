import { expect, test } from 'vitest'
import { run, world } from '../../test/memory-runner.ts'
import { loadGraphs, messages, newStore } from '../../test/memory-store.ts'
import { deployment } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'
import { builtInMapping, builtInWorkflow } from './built-in.ts'

const operation = 'cloudify.interfaces.lifecycle.start'
const model = deployment([
  { id: 'app', operations: ['lifecycle.start'], relationships: [{ to: 'middle' }] },
  { id: 'middle', relationships: [{ to: 'db' }] },
  {
    id: 'db',
    operations: ['lifecycle.start'],
    operation: { inputs: { size: 1 }, inputs_types: { port: 'integer' } },
  },
])

async function executed(parameters: JsonObject) {
  const at = world(model, undefined, 'execute_operation', { operation, ...parameters })
  const memory = newStore()
  const end = await run(at, memory)
  const [graph] = loadGraphs(memory)
  const keys = at.executions.map(({ key, atMs }) => `${key} ${atMs - 1_000_000}`)
  return { end, graph, rows: graph?.operations ?? [], memory, keys }
}

test('runs where it is implemented, at the same time, between two events', async () => {
  const { keys, memory, graph } = await executed({})
  expect(graph?.name).toBe(`execute_operation_${operation}`)
  expect(keys).toEqual(['app_1 lifecycle.start 0', 'db_1 lifecycle.start 0'])
  expect(messages(memory, 'workflow_node_event')).toEqual([
    ...[`Starting operation ${operation}`, `Starting operation ${operation}`],
    ...[`Finished operation ${operation}`, `Finished operation ${operation}`],
  ])
  expect(memory.instanceStates.size).toBe(0)
})

test('runs in the order of dependencies when asked, across instances that take no part', async () => {
  expect((await executed({ run_by_dependency_order: true })).keys).toEqual([
    'db_1 lifecycle.start 0',
    'app_1 lifecycle.start 1000',
  ])
})

test('given inputs are shown and handed over; those that clash must be allowed to', async () => {
  const { memory, rows } = await executed({ operation_kwargs: { note: "it's", on: true }, node_ids: ['db'] })
  expect(messages(memory)).toContain(
    `Starting operation ${operation} (Operation parameters: {'note': "it's", 'on': True})`,
  )
  const task = rows.find((row) => row.type === 'RemoteWorkflowTask')
  expect(task?.parameters.task_kwargs.kwargs).toMatchObject({ size: 1, note: "it's" })
  const clash = { operation_kwargs: { size: 2 } }
  expect((await executed(clash)).end).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('has inputs of its own for size'),
  })
  const allowed = await executed({ ...clash, allow_kwargs_override: true, node_instance_ids: ['db_1'] })
  const overridden = allowed.rows.find((row) => row.type === 'RemoteWorkflowTask')
  expect(overridden?.parameters.task_kwargs.kwargs).toMatchObject({ size: 2 })
})

test('what cannot be meant is refused before anything runs', async () => {
  await expect(executed({ operation: '' })).rejects.toThrow('must name the operation')
  await expect(executed({ operation_kwargs: 'a=b' })).rejects.toThrow('operation_kwargs must be a dict')
  expect((await executed({ operation_kwargs: { port: 'x' } })).end).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('port of operation'),
  })
  await expect(executed({ node_ids: [1] })).rejects.toThrow('node_ids must be a list of strings')
  expect(() => builtInWorkflow(builtInMapping('dance'), 'dance')).toThrow(
    'Workflow dance cannot be run: it is mapped to default_workflows.cloudify.plugins.workflows.dance',
  )
})
