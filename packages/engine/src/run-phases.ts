import {
  type ActionPhase,
  type ChildrenPhase,
  type GraphPhase,
  type Phase,
  WorkflowError,
} from './workflow.ts'
import type { WorkflowEnd } from './workflow-events.ts'

/** How far an execution has come in the phases of its workflow. Stored with each step; null before the first. */
export type PhaseProgress =
  /** Name of the last phase that is done. */
  | { readonly passed: string }
  /** Its actions are ended or undone: nothing but the end of the execution is left. */
  | { readonly ended: WorkflowEnd }

export type ActionStep = {
  readonly phase: ActionPhase
  readonly step: 'begin' | 'end' | 'undo'
}

/** What the runner does for `runPhases`. Whatever it rejects with leaves the execution to be taken up again. */
export type PhasePerformer = {
  /** Runs the phase's graph, from wherever it is stored; its end follows from what is stored. */
  graph(phase: GraphPhase): Promise<WorkflowEnd>
  children(phase: ChildrenPhase): Promise<WorkflowEnd>
  /**
   * In ONE transaction, fenced by the execution's lease: these steps in order, then the progress. What the rules of an
   * action do not allow is a failed end, and nothing of the transaction stays.
   */
  change(steps: readonly ActionStep[], progress: PhaseProgress): Promise<WorkflowEnd>
}

/**
 * Goes through the phases of a workflow from the stored progress on. Every action that has begun is ended when all
 * phases have succeeded, or undone, the last one first, when one has not. Each begin, end and undo takes place once,
 * wherever the runner is killed.
 *
 * @throws WorkflowError when the stored progress is none of this workflow
 */
export async function runPhases(
  phases: readonly Phase[],
  stored: PhaseProgress | null,
  performer: PhasePerformer,
): Promise<WorkflowEnd> {
  if (stored !== null && 'ended' in stored) return stored.ended
  const passed = stored === null ? -1 : phases.findIndex(({ name }) => name === stored.passed)
  if (stored !== null && passed === -1) {
    const names = phases.map(({ name }) => name).join(', ')
    throw new WorkflowError(
      `The execution has passed phase ${stored.passed}; this workflow has ${names} only.`,
    )
  }
  for (const [index, phase] of phases.entries()) {
    if (index <= passed) continue
    const end = await runPhase(phase, index === phases.length - 1, performer)
    if (end.status !== 'succeeded') return undo(phases.slice(0, index), end, performer)
  }
  const actions = phases.filter(isAction)
  if (actions.length === 0) return { status: 'succeeded' }
  const steps = actions.map((phase) => ({ phase, step: 'end' as const }))
  const end = await performer.change(steps, { ended: { status: 'succeeded' } })
  return end.status === 'succeeded' ? end : undo(phases, end, performer)
}

async function runPhase(phase: Phase, isLast: boolean, performer: PhasePerformer): Promise<WorkflowEnd> {
  const progress = { passed: phase.name }
  switch (phase.kind) {
    case 'action':
      return performer.change([{ phase, step: 'begin' }], progress)
    case 'graph':
    case 'children': {
      const end = await (phase.kind === 'graph' ? performer.graph(phase) : performer.children(phase))
      // Of the last one the end of the execution tells.
      return end.status === 'succeeded' && !isLast ? performer.change([], progress) : end
    }
  }
}

async function undo(
  begun: readonly Phase[],
  end: WorkflowEnd,
  performer: PhasePerformer,
): Promise<WorkflowEnd> {
  const actions = begun.filter(isAction).reverse()
  if (actions.length === 0) return end
  const steps = actions.map((phase) => ({ phase, step: 'undo' as const }))
  const undone = await performer.change(steps, { ended: end })
  if (undone.status !== 'failed') return end
  const why = end.status === 'failed' ? end.error : 'The execution was cancelled'
  return { status: 'failed', error: `${why}\nWhat it had begun could not be undone: ${undone.error}` }
}

const isAction = (phase: Phase): phase is ActionPhase => phase.kind === 'action'
