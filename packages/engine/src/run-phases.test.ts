import { expect, test } from 'vitest'
import { type PhasePerformer, runPhases } from './run-phases.ts'
import type { StoredOperation } from './stored-operation.ts'
import type { Work } from './work.ts'
import { type ActionPhase, type GraphPhase, WorkflowError } from './workflow.ts'

// biome-ignore lint/correctness/useYield: a graph without operations takes no pieces
function* empty(): Work<readonly StoredOperation[]> {
  return []
}

const graph: GraphPhase = { kind: 'graph', name: 'graph', cleansUpOnResume: false, build: empty }
const action: ActionPhase = {
  kind: 'action',
  name: 'action',
  action: 'a',
  input: {},
  otherwise: { kind: 'undo' },
}

test('progress of another workflow is refused', async () => {
  const performer = {} as PhasePerformer
  const running = runPhases([graph], { passed: 'other' }, performer)
  await expect(running).rejects.toThrow(WorkflowError)
})

test('what could not be undone is said, with why it was to be', async () => {
  const phases = [action, graph]
  const end = await runPhases(phases, null, {
    graph: async () => ({ status: 'failed', error: 'first' }),
    children: async () => ({ status: 'succeeded' }),
    change: async ([step]) =>
      step?.step === 'undo' ? { status: 'failed', error: 'second' } : { status: 'succeeded' },
  })
  expect(end).toEqual({ status: 'failed', error: 'first\nWhat it had begun could not be undone: second' })
})
