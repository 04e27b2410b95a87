import type { JsonObject, StoredOperation } from '@tutti/engine'
import { expect, test } from 'vitest'
import { chooseExecutor } from './choose-executor.ts'

function operation(type: string, context?: JsonObject): StoredOperation {
  const kwargs = context === undefined ? {} : { __cloudify_context: context }
  const parameters = { task_kwargs: { kwargs } } as unknown as StoredOperation['parameters']
  return { id: 'o', name: 'task', type, state: 'pending', dependencies: [], parameters }
}

const remote = (context: JsonObject) =>
  operation('RemoteWorkflowTask', { task_name: 'aws.create', node_id: 'web_1', ...context })

test('scripts and plugins are run by Python, tasks of workflows by the worker itself', () => {
  expect(chooseExecutor(remote({ plugin: { name: 'script' } }))).toEqual({ executor: 'python' })
  expect(chooseExecutor(remote({ plugin: { name: 'cloudify-aws-plugin' } }))).toEqual({ executor: 'python' })
  expect(chooseExecutor(operation('GetNodeInstanceStateTask'))).toEqual({ executor: 'native' })
})

test.each([
  ['a component', remote({ plugin: { name: 'cfy_extensions' } }), 'Components'],
  ['a task without a plugin', remote({ plugin: 'script' }), 'has no plugin'],
  ['the agent', remote({ plugin: { name: 'script' }, executor: 'host_agent' }), 'web_1 is on no host'],
  ['a type of task', operation('LocalWorkflowTask'), 'Tasks of type LocalWorkflowTask'],
  ['a task without context', operation('RemoteWorkflowTask'), 'has no context'],
])('%s that nothing can run yet is named', (_, given, why) => {
  expect(chooseExecutor(given)).toEqual({ refusal: expect.stringContaining(why) })
})
