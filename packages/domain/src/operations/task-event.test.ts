import { expect, test } from 'vitest'
import { taskEvent } from './task-event.ts'

const remote = (parameters: object = {}) => ({
  name: 'script_runner.tasks.run',
  type: 'RemoteWorkflowTask',
  parameters: {
    task_kwargs: {
      kwargs: {
        __cloudify_context: { node_id: 'vm_1', operation: { name: 'cloudify.interfaces.lifecycle.create' } },
      },
    },
    ...parameters,
  },
})

test.each([
  ['sending', {}, 'sending_task', "Sending task 'script_runner.tasks.run'"],
  ['started', {}, 'task_started', "Task started 'script_runner.tasks.run'"],
  [
    'succeeded',
    { result: { a: true } },
    'task_succeeded',
    "Task succeeded 'script_runner.tasks.run' - {'a': True}",
  ],
  ['succeeded', { result: null }, 'task_succeeded', "Task succeeded 'script_runner.tasks.run'"],
  ['failed', { exception: 'no' }, 'task_failed', "Task failed 'script_runner.tasks.run' -> no"],
  [
    'rescheduled',
    { exception: 'later' },
    'task_rescheduled',
    "Task rescheduled 'script_runner.tasks.run' -> later",
  ],
])('%s is told as people know it', (state, more, eventType, message) => {
  expect(taskEvent(remote(), { state, ...more })).toMatchObject({
    isLog: false,
    eventType,
    message,
    operation: 'cloudify.interfaces.lifecycle.create',
    nodeInstanceId: 'vm_1',
  })
})

test('retries say which one of how many', () => {
  const text = (parameters: object) => taskEvent(remote(parameters), { state: 'started' })?.message
  expect(text({ current_retries: 0, total_retries: 3 })).toMatch(/run'$/)
  expect(text({ current_retries: 2, total_retries: 3 })).toMatch(/ \[retry 2\/3\]$/)
  expect(text({ current_retries: 2, total_retries: -1 })).toMatch(/ \[retry 2\]$/)
})

test('subgraphs have events without a node; other tasks and states have none', () => {
  const subgraph = { name: 'install_vm_1', type: 'SubgraphTask', parameters: {} }
  expect(taskEvent(subgraph, { state: 'started' })).toMatchObject({
    message: "Subgraph started 'install_vm_1'",
    operation: null,
    nodeInstanceId: null,
  })
  expect(taskEvent(remote(), { state: 'sent' })).toBeUndefined()
  expect(taskEvent({ ...subgraph, type: 'LocalWorkflowTask' }, { state: 'started' })).toBeUndefined()
})

test('the causes go with the exception', () => {
  const causes = [{ message: 'm', type: 'T', traceback: 't' }]
  const event = taskEvent(remote(), { state: 'failed', exception: 'x', exceptionCauses: causes })
  expect(event?.errorCauses).toEqual(causes)
})
