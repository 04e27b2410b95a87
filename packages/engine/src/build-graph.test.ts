import { expect, test } from 'vitest'
import { counterIds } from '../test/memory-runner.ts'
import { buildGraph } from './build-graph.ts'
import type { PlanPart, Step } from './step.ts'
import { finish } from './work.ts'

const task: Step = { kind: 'task', type: 'RemoteWorkflowTask', name: 'a.b', taskKwargs: {} }

function part(key: string, steps: readonly Step[], waitsFor: readonly string[] = []): PlanPart {
  return {
    key,
    step: { kind: 'subgraph', name: key, steps },
    waitsFor: waitsFor.map((other) => ({ key: other })),
  }
}

test('an empty subgraph is left out and its dependants inherit what it waited for', () => {
  const empty: Step = { kind: 'subgraph', name: 'inner', steps: [{ kind: 'sequence', steps: [] }] }
  const parts = [
    part('top', [task, empty, task], ['hub']),
    part('hub', [empty], ['low']),
    part('low', [task]),
  ]
  const rows = finish(buildGraph({ parts }, counterIds()))
  expect(rows.map((row) => row.name)).toEqual(['top', 'a.b', 'a.b', 'low', 'a.b'])
  const [top, first, second, low] = rows
  expect(top?.dependencies).toEqual([low?.id])
  expect(second?.dependencies).toEqual([first?.id])
})

test('an empty hub between many instances does not multiply them', () => {
  const names = Array.from({ length: 200 }, (_, index) => index)
  const low = names.map((index) => part(`low${index}`, [task]))
  const hub = part(
    'hub',
    [],
    low.map(({ key }) => key),
  )
  const top = names.map((index) => part(`top${index}`, [task], ['hub']))
  const rows = finish(buildGraph({ parts: [...low, hub, ...top] }, counterIds()))
  const edges = rows.reduce((sum, row) => sum + row.dependencies.length, 0)
  expect(edges).toBe(400)
  expect(rows.find((row) => row.dependencies.length === 200)?.type).toBe('NOPLocalWorkflowTask')
})
