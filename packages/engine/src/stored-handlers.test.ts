import { expect, test } from 'vitest'
import { noParameters } from './build-graph.ts'
import { createGraph, finish, newGraphRecord, type StoredOperation, WorkflowError } from './index.ts'

const options = { newId: () => 'new', waitAfterFailMs: 0 }

function graphOf(type: string, parameters: object) {
  const row = { id: 'r1', name: 'task', type, state: 'pending', dependencies: [] } as const
  const stored: StoredOperation = { ...row, parameters: { ...noParameters, ...parameters } }
  return () => finish(createGraph([stored], newGraphRecord, options))
}

const ignore = { path: 'ignore', node_instance_id: 'a_1' }
const rerun = {
  path: 'rerun_lifecycle',
  lifecycle: 'install',
  node_instance_id: 'a_1',
  ignore_failure: false,
}

test.each([
  [
    'an unknown failure handler',
    'RemoteWorkflowTask',
    { on_failure: { path: 'compensate' } },
    'does not know',
  ],
  [
    'one that is named as what objects inherit',
    'SubgraphTask',
    { on_failure: { path: 'toString' } },
    'does not know',
  ],
  ['one that is no object', 'RemoteWorkflowTask', { on_failure: 'ignore' }, 'does not know'],
  [
    'an unknown success handler',
    'RemoteWorkflowTask',
    { on_success: { path: 'celebrate' } },
    'does not know',
  ],
  [
    "a subgraph's handler on an operation",
    'RemoteWorkflowTask',
    { on_failure: rerun },
    'belongs on a subgraph',
  ],
  ["an operation's handler on a subgraph", 'SubgraphTask', { on_failure: ignore }, 'belongs on an operation'],
  [
    'one without what it needs',
    'RemoteWorkflowTask',
    { on_failure: { path: 'ignore' } },
    'fields are missing',
  ],
  [
    'an unknown lifecycle',
    'SubgraphTask',
    { on_failure: { ...rerun, lifecycle: 'heal' } },
    'fields are missing',
  ],
])('a stored graph with %s is refused', (_, type, parameters, why) => {
  expect(graphOf(type, parameters)).toThrow(WorkflowError)
  expect(graphOf(type, parameters)).toThrow(`The stored operation task (r1) has`)
  expect(graphOf(type, parameters)).toThrow(why)
})

test.each([
  ['RemoteWorkflowTask', { on_failure: ignore, on_success: { path: 'retry_until_truthy' } }],
  ['SubgraphTask', { on_failure: rerun }],
  ['RemoteWorkflowTask', { on_failure: undefined, on_success: undefined }],
])('a stored %s with known handlers is taken', (type, parameters) => {
  expect(graphOf(type, parameters)).not.toThrow()
})

test('a stored operation without task_kwargs is refused', () => {
  expect(graphOf('RemoteWorkflowTask', { task_kwargs: undefined })).toThrow('has no task_kwargs')
})
