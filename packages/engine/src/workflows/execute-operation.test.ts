import { expect, test } from 'vitest'
import { graphPhases } from '../../test/graph-phases.ts'
import { run, world } from '../../test/memory-runner.ts'
import { messages, newStore } from '../../test/memory-store.ts'
import { deployment } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'
import { finish } from '../work.ts'
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

function executed(parameters: JsonObject) {
  const at = world(model)
  const [phase] = graphPhases('execute_operation', {
    operation,
    ...parameters,
  })
  const rows = phase === undefined ? [] : finish(phase.build({ model, context: {}, newId: at.options.newId }))
  const memory = newStore(rows)
  run(at, memory)
  return { rows, phase, memory, keys: at.executions.map(({ key, atMs }) => `${key} ${atMs - 1_000_000}`) }
}

test('runs where it is implemented, at the same time, between two events', () => {
  const { keys, memory, phase } = executed({})
  expect(phase?.name).toBe(`execute_operation_${operation}`)
  expect(keys).toEqual(['app_1 lifecycle.start 0', 'db_1 lifecycle.start 0'])
  expect(messages(memory, 'workflow_node_event')).toEqual([
    ...[`Starting operation ${operation}`, `Starting operation ${operation}`],
    ...[`Finished operation ${operation}`, `Finished operation ${operation}`],
  ])
  expect(memory.instanceStates.size).toBe(0)
})

test('runs in the order of dependencies when asked, across instances that take no part', () => {
  expect(executed({ run_by_dependency_order: true }).keys).toEqual([
    'db_1 lifecycle.start 0',
    'app_1 lifecycle.start 1000',
  ])
})

test('given inputs are shown and handed over; those that clash must be allowed to', () => {
  const { memory, rows } = executed({ operation_kwargs: { note: "it's", on: true }, node_ids: ['db'] })
  expect(messages(memory)).toContain(
    `Starting operation ${operation} (Operation parameters: {'note': "it's", 'on': True})`,
  )
  const task = rows.find((row) => row.type === 'RemoteWorkflowTask')
  expect(task?.parameters.task_kwargs.kwargs).toMatchObject({ size: 1, note: "it's" })
  const clash = { operation_kwargs: { size: 2 } }
  expect(() => executed(clash)).toThrow('has inputs of its own for size')
  const allowed = executed({ ...clash, allow_kwargs_override: true, node_instance_ids: ['db_1'] })
  const overridden = allowed.rows.find((row) => row.type === 'RemoteWorkflowTask')
  expect(overridden?.parameters.task_kwargs.kwargs).toMatchObject({ size: 2 })
})

test('what cannot be meant is refused before anything runs', () => {
  expect(() => executed({ operation: '' })).toThrow('must name the operation')
  expect(() => executed({ operation_kwargs: 'a=b' })).toThrow('operation_kwargs must be a dict')
  expect(() => executed({ operation_kwargs: { port: 'x' } })).toThrow('port of operation')
  expect(() => executed({ node_ids: [1] })).toThrow('node_ids must be a list of strings')
  expect(() => builtInWorkflow(builtInMapping('dance'), 'dance')).toThrow(
    'Workflow dance cannot be run: it is mapped to default_workflows.cloudify.plugins.workflows.dance',
  )
})
