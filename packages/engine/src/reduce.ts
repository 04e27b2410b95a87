import { addOperations } from './add-operations.ts'
import { answerHandler } from './answer-handler.ts'
import { commandsOf, commitOf } from './changes.ts'
import type { Command, Commit, GraphOutcome } from './commit.ts'
import { nextDueMs, popDue } from './due-queue.ts'
import { endOperation, noteStart } from './end-operation.ts'
import { settle } from './end-task.ts'
import { failureText } from './error-text.ts'
import type { CancelMode, GraphEvent } from './graph-event.ts'
import { type GraphState, hasReady, setRecord, takeChanges, takeReady } from './graph-state.ts'
import { startTask } from './run-task.ts'

export type Reduction = {
  readonly state: GraphState
  /** To be stored in one transaction BEFORE the commands are performed; null = nothing to store. */
  readonly commit: Commit | null
  readonly commands: readonly Command[]
  /** More can be done at once: call `reduce` again without waiting for an event. */
  readonly more: boolean
  /** Unix time in ms at which to call `reduce` without an event; null = an event must come first. */
  readonly wakeAtMs: number | null
  /** Set from the moment the graph has ended. Later answers of abandoned operations are still recorded. */
  readonly outcome: GraphOutcome | null
}

/**
 * Takes events in, starts whatever may start, completes what needs no executor, and says what to store
 * and to do next (docs/reference/workflows.md, "Tasks graph"). Called with no events it begins or continues a new or
 * restored graph and serves timers. Its cost is that of the operations it moves, not of the graph.
 *
 * With `goesOn` false it only takes the events in, for a runner that is about to leave the graph to another one.
 */
export function reduce(
  state: GraphState,
  events: readonly GraphEvent[],
  nowMs: number,
  goesOn = true,
): Reduction {
  for (const event of events) take(state, event)
  if (goesOn) {
    advance(state, nowMs)
    state.outcome ??= outcomeOf(state, nowMs)
  }
  const changes = takeChanges(state)
  return {
    state,
    commit: state.options.dryRun === true ? dryRunCommit(commitOf(changes)) : commitOf(changes),
    commands: commandsOf(changes),
    more: goesOn && mayStart(state, nowMs) && hasReady(state),
    wakeAtMs: wakeAtMs(state),
    outcome: state.outcome,
  }
}

function take(state: GraphState, event: GraphEvent): void {
  switch (event.type) {
    case 'operation-started':
      noteStart(state, state.running.get(event.operationId), event.atMs)
      break
    case 'operation-ended':
      endOperation(state, event)
      break
    case 'operation-said':
      state.changes.events.push(...event.records)
      break
    case 'operations-added':
      addOperations(state, event.operations)
      break
    case 'handler-answered':
      answerHandler(state, event)
      break
    case 'closed':
      state.isClosed = true
      break
    case 'cancel-requested':
      cancel(state, event.mode)
      break
    default:
      event satisfies never
  }
}

const severity: Record<CancelMode, number> = { cancel: 1, 'force-cancel': 2, kill: 3 }

function cancel(state: GraphState, mode: CancelMode): void {
  if (state.outcome !== null) return
  const present = state.record.cancel
  if (present !== null && severity[present] >= severity[mode]) return
  setRecord(state, { cancel: mode })
  if (mode === 'kill') state.changes.toKill.push(...state.running.keys())
}

function mayStart({ outcome, record }: GraphState, nowMs: number): boolean {
  const timeIsUp = record.failDeadlineMs !== null && nowMs >= record.failDeadlineMs
  return outcome === null && record.cancel === null && !timeIsUp
}

/** With what the runner does to store it, some 20 ms. */
const defaultBatchSize = 500

function advance(state: GraphState, nowMs: number): void {
  if (!mayStart(state, nowMs)) return
  for (const task of state.lost.splice(0)) state.changes.toRun.push({ task, resume: true })
  for (const subgraph of state.unsettled.splice(0)) settle(state, subgraph, nowMs)
  const limit = state.options.batchSize ?? defaultBatchSize
  for (let started = 0; started < limit && mayStart(state, nowMs); started += 1) {
    const task = popDue(state.due, nowMs) ?? takeReady(state)
    if (task === undefined) return
    startTask(state, task, nowMs)
  }
}

function outcomeOf(state: GraphState, nowMs: number): GraphOutcome | null {
  const { record, running, asked, root } = state
  // Operations that were lost with a worker do not run: nobody has been told to run them again.
  const abandoned = () => (state.lost.length > 0 ? [] : [...running.keys()])
  if (record.cancel !== null) return { status: 'cancelled', abandoned: abandoned() }
  const timeIsUp = record.failDeadlineMs !== null && nowMs >= record.failDeadlineMs
  const isAtWork = running.size > 0 || asked.size > 0 || hasReady(state) || nextDueMs(state.due) !== null
  const goesOn = isAtWork || !state.isClosed
  if (goesOn && !timeIsUp) return null
  const failed = record.failedOperationIds.flatMap((id) => state.tasks.get(id) ?? [])
  if (failed.length > 0) return { status: 'failed', error: failureText(failed), abandoned: abandoned() }
  if (root.open === 0) return { status: 'succeeded' }
  return { status: 'failed', error: deadEnd(state), abandoned: abandoned() }
}

function deadEnd({ tasks }: GraphState): string {
  const waiting = [...tasks.values()].filter((task) => task.status === 'waiting')
  const names = waiting.slice(0, 5).map((task) => `${task.name} (${task.id})`)
  return (
    `The tasks graph cannot go on: ${waiting.length} operations wait for others that can never be done, ` +
    `first ${names.join(', ')}. Check the dependencies of the stored operations.`
  )
}

function wakeAtMs({ outcome, record, due }: GraphState): number | null {
  if (outcome !== null || record.cancel !== null) return null
  const dueMs = nextDueMs(due)
  if (record.failDeadlineMs === null) return dueMs
  return dueMs === null ? record.failDeadlineMs : Math.min(dueMs, record.failDeadlineMs)
}

/**
 * docs/reference/workflows.md, "Dry run": events only, and of what would be done: subgraphs are kept nowhere, and
 * nothing is said of them.
 */
function dryRunCommit(commit: Commit | null): Commit | null {
  if (commit === null || commit.events.length === 0) return null
  return {
    inserted: [],
    patched: [],
    removed: [],
    nodeInstanceChanges: [],
    nodeInstanceStates: [],
    systemProperties: [],
    events: commit.events.map((event) => ({ ...event, message: `${event.message} (dry run)` })),
    counters: { total: 0, finished: 0 },
    record: null,
  }
}
