import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PhasePerformer, type PhaseProgress, runPhases } from './run-phases.ts'
import type { StoredOperation } from './stored-operation.ts'
import type { Work } from './work.ts'
import type { Phase } from './workflow.ts'
import { WorkflowError } from './workflow.ts'
import type { WorkflowEnd } from './workflow-events.ts'

type Kind = Phase['kind']

// biome-ignore lint/correctness/useYield: a graph without operations takes no pieces
function* empty(): Work<readonly StoredOperation[]> {
  return []
}

function phaseOf(kind: Kind, index: number): Phase {
  const name = `${kind}${index}`
  switch (kind) {
    case 'graph':
      return { kind, name, cleansUpOnResume: false, build: empty }
    case 'children':
      return { kind, name, workflowId: 'uninstall', parameters: {}, ignoresFailure: false }
    case 'action':
      return { kind, name, action: 'a', input: {} }
  }
}

/** What a database would hold, and a worker that is killed before or after one of its transactions. */
function world(
  phases: readonly Phase[],
  failing: string | null,
  kill: { at: number; isStored: boolean } | null,
) {
  const log: string[] = []
  let stored: PhaseProgress | null = null
  let transactions = 0
  const failed: WorkflowEnd = { status: 'failed', error: 'no' }
  const run = (name: string): WorkflowEnd => (name === failing ? failed : { status: 'succeeded' })
  const performer: PhasePerformer = {
    graph: async ({ name }) => run(name),
    children: async ({ name }) => run(name),
    async change(steps, progress) {
      transactions += 1
      const isKilled = kill?.at === transactions
      if (isKilled && !kill.isStored) throw new Error('killed')
      const refused = steps.some(({ phase, step }) => step !== 'undo' && failing === `${step} ${phase.name}`)
      if (!refused) {
        for (const { phase, step } of steps) log.push(`${step} ${phase.name}`)
        stored = progress
      }
      if (isKilled) throw new Error('killed')
      return refused ? failed : { status: 'succeeded' }
    },
  }
  return {
    log,
    run: () => runPhases(phases, stored, performer),
    transactions: () => transactions,
  }
}

const plans = fc
  .array(fc.constantFrom<Kind>('graph', 'children', 'action', 'action'), { minLength: 1, maxLength: 6 })
  .map((kinds) => kinds.map(phaseOf))
  .chain((phases) =>
    fc.record({
      phases: fc.constant(phases),
      failing: fc.constantFrom(
        null,
        ...phases.flatMap(({ kind, name }) =>
          kind === 'action' ? [`begin ${name}`, `end ${name}`] : [name],
        ),
      ),
    }),
  )

test('every action that began is ended, or all are undone, the last one first', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ phases, failing }) => {
      const { log, run } = world(phases, failing, null)
      const end = await run()
      const failsAt = phases.findIndex(({ name }) => failing === name || failing === `begin ${name}`)
      const begun = (failsAt === -1 ? phases : phases.slice(0, failsAt))
        .filter(({ kind }) => kind === 'action')
        .map(({ name }) => name)
      const after =
        failing === null ? begun.map((name) => `end ${name}`) : begun.map((name) => `undo ${name}`).reverse()
      expect(log).toEqual([...begun.map((name) => `begin ${name}`), ...after])
      expect(end.status).toBe(failing === null ? 'succeeded' : 'failed')
    }),
  )
})

test('killed before or after any transaction, it comes to the same, each step once', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ phases, failing }) => {
      const whole = world(phases, failing, null)
      const expected = await whole.run()
      for (let at = 1; at <= whole.transactions(); at += 1) {
        for (const isStored of [false, true]) {
          const { log, run } = world(phases, failing, { at, isStored })
          await expect(run()).rejects.toThrow('killed')
          expect(await run()).toEqual(expected)
          expect(log).toEqual(whole.log)
        }
      }
    }),
  )
})

test('progress of another workflow is refused', async () => {
  const { run } = world([phaseOf('graph', 0)], null, null)
  expect((await run()).status).toBe('succeeded')
  const performer = {} as PhasePerformer
  const running = runPhases([phaseOf('graph', 0)], { passed: 'other' }, performer)
  await expect(running).rejects.toThrow(WorkflowError)
})

test('what could not be undone is said, with why it was to be', async () => {
  const phases = [phaseOf('action', 0), phaseOf('graph', 1)]
  const end = await runPhases(phases, null, {
    graph: async () => ({ status: 'failed', error: 'first' }),
    children: async () => ({ status: 'succeeded' }),
    change: async ([step]) =>
      step?.step === 'undo' ? { status: 'failed', error: 'second' } : { status: 'succeeded' },
  })
  expect(end).toEqual({ status: 'failed', error: 'first\nWhat it had begun could not be undone: second' })
})
