import type { PlanWorkflow } from '@tutti/dsl'
import { expect, test } from 'vitest'
import { workflowList, workflowsText } from './shown-workflows.ts'

const builtIn = {
  plugin: 'default_workflows',
  operation: 'cloudify.plugins.workflows.install',
  parameters: { text: { default: 'a "quoted" text, ∀' } },
  is_cascading: false,
  availability_rules: { node_instances_active: ['none'] },
}
const workflows = {
  install: builtIn,
  always: { ...builtIn, availability_rules: null },
  other: { ...builtIn, plugin: 'mine', availability_rules: undefined },
} as unknown as Readonly<Record<string, PlanWorkflow>>

test.each([
  [[], []],
  [['started'], ['cloudify.nodes.Root']],
  [['started', 'deleted'], []],
])('the text says what the list says, with instances %j', (instanceStates, nodeTypes) => {
  const state = { instanceStates, nodeTypes }
  for (const some of [workflows, {}]) {
    const expected = JSON.stringify(workflowList(some, state))
    // Parsed, then remembered.
    expect(workflowsText(JSON.stringify(some), state)).toBe(expected)
    expect(workflowsText(JSON.stringify(some), state)).toBe(expected)
  }
})

test('more are not remembered than there is room for, and all are right', () => {
  const state = { instanceStates: [], nodeTypes: [] }
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 150; index += 1) {
      const some = { [`w${index}`]: builtIn } as unknown as Readonly<Record<string, PlanWorkflow>>
      expect(workflowsText(JSON.stringify(some), state)).toBe(JSON.stringify(workflowList(some, state)))
    }
  }
})
