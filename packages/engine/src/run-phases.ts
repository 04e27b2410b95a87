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
  /** It ends like that; before, what begun up to this phase is undone, the last first. */
  | { readonly undoing: WorkflowEnd; readonly upTo: string }
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
 * phases have succeeded; when one has not, those that are not to stay are undone, the last one first. Each begin, end
 * and undo takes place once, wherever the runner is killed.
 *
 * @throws WorkflowError when the stored progress is none of this workflow
 */
export async function runPhases(
  phases: readonly Phase[],
  stored: PhaseProgress | null,
  performer: PhasePerformer,
): Promise<WorkflowEnd> {
  if (stored !== null && 'ended' in stored) return stored.ended
  if (stored !== null && 'undoing' in stored) {
    return undo(phases.slice(0, indexOf(phases, stored.upTo) + 1), stored.undoing, performer)
  }
  const passed = stored === null ? -1 : indexOf(phases, stored.passed)
  for (const [index, phase] of phases.entries()) {
    if (index <= passed) continue
    const end = await runPhase(phase, index === phases.length - 1, performer)
    if (end.status !== 'succeeded') return beginUndo(phases.slice(0, index), end, performer)
  }
  const actions = phases.filter(isAction)
  if (actions.length === 0) return { status: 'succeeded' }
  const steps = actions.map((phase) => ({ phase, step: 'end' as const }))
  const end = await performer.change(steps, { ended: { status: 'succeeded' } })
  return end.status === 'succeeded' ? end : beginUndo(phases, end, performer)
}

function indexOf(phases: readonly Phase[], stored: string): number {
  const index = phases.findIndex(({ name }) => name === stored)
  if (index !== -1) return index
  const names = phases.map(({ name }) => name).join(', ')
  throw new WorkflowError(`The execution has passed phase ${stored}; this workflow has ${names} only.`)
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

async function beginUndo(
  begun: readonly Phase[],
  end: WorkflowEnd,
  performer: PhasePerformer,
): Promise<WorkflowEnd> {
  const last = toUndo(begun, end)[0]
  // From here on a resume goes back, not on: graphs that undo may have changed what the others had made.
  if (last !== undefined && graphsBefore(last).length > 0) {
    const marked = await performer.change([], { undoing: end, upTo: last.name })
    if (marked.status !== 'succeeded') return notUndone(end, marked)
  }
  return undo(begun, end, performer)
}

async function undo(
  begun: readonly Phase[],
  end: WorkflowEnd,
  performer: PhasePerformer,
): Promise<WorkflowEnd> {
  const actions = toUndo(begun, end)
  for (const [index, phase] of actions.entries()) {
    for (const graph of graphsBefore(phase)) {
      const ended = await performer.graph(graph)
      if (ended.status === 'cancelled') return ended
      if (ended.status === 'failed') return notUndone(end, ended)
    }
    const next = actions[index + 1]
    const progress = next === undefined ? { ended: end } : { undoing: end, upTo: next.name }
    const undone = await performer.change([{ phase, step: 'undo' }], progress)
    if (undone.status !== 'succeeded') return notUndone(end, undone)
  }
  return end
}

/** The last one first, up to one that stays: what it was begun on stays with it. */
function toUndo(begun: readonly Phase[], end: WorkflowEnd): readonly ActionPhase[] {
  const actions = begun.filter(isAction).reverse()
  const stays = ({ otherwise: { kind } }: ActionPhase) =>
    kind === 'keep' || (kind === 'undo-after' && end.status === 'cancelled')
  const first = actions.findIndex(stays)
  return first === -1 ? actions : actions.slice(0, first)
}

const graphsBefore = ({ otherwise }: ActionPhase) => (otherwise.kind === 'undo-after' ? otherwise.graphs : [])

function notUndone(end: WorkflowEnd, failure: WorkflowEnd): WorkflowEnd {
  const why = end.status === 'failed' ? end.error : 'The execution was cancelled'
  const whyNot = failure.status === 'failed' ? failure.error : failure.status
  return { status: 'failed', error: `${why}\nWhat it had begun could not be undone: ${whyNot}` }
}

/** The graphs that run before actions are undone, should it come to that. */
export const undoGraphs = (phases: readonly Phase[]): readonly GraphPhase[] =>
  phases.filter(isAction).flatMap(graphsBefore)

const isAction = (phase: Phase): phase is ActionPhase => phase.kind === 'action'
