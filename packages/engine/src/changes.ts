import type { Command, Commit, EmittedEvent, GraphRecord, NodeInstanceStateChange } from './commit.ts'
import type { NodeInstanceChange } from './node-instance-change.ts'
import type { OperationOutcome } from './operation-error.ts'
import type { OperationRecord } from './operation-record.ts'
import type { SystemPropertyChange } from './system-properties.ts'
import { storedOperation, type Task } from './task.ts'

/** Collects what one call of `reduce` changes; every task appears once, in its last state. */
export type Changes = {
  /** `true` where more than the state changed. */
  readonly patched: Map<Task, boolean>
  readonly inserted: Set<Task>
  readonly removed: string[]
  readonly nodeInstanceChanges: NodeInstanceChange[]
  readonly nodeInstanceStates: NodeInstanceStateChange[]
  readonly systemProperties: SystemPropertyChange[]
  readonly events: (EmittedEvent | OperationRecord)[]
  readonly toRun: { readonly task: Task; readonly resume: boolean }[]
  readonly toAsk: { readonly task: Task; readonly outcome: OperationOutcome }[]
  readonly toKill: string[]
  total: number
  finished: number
  record: GraphRecord | null
}

export function noChanges(): Changes {
  return {
    patched: new Map(),
    inserted: new Set(),
    removed: [],
    nodeInstanceChanges: [],
    nodeInstanceStates: [],
    systemProperties: [],
    events: [],
    toRun: [],
    toAsk: [],
    toKill: [],
    total: 0,
    finished: 0,
    record: null,
  }
}

/** Call after a task's state changed, `whole` when its parameters or dependencies did as well. */
export function notePatch(changes: Changes, task: Task, whole = false): void {
  if (changes.inserted.has(task)) return
  changes.patched.set(task, whole || (changes.patched.get(task) ?? false))
}

export function noteInsert(changes: Changes, task: Task): void {
  changes.inserted.add(task)
  if (task.type !== 'NOPLocalWorkflowTask') changes.total += 1
}

export function noteRemoval(changes: Changes, task: Task): void {
  changes.patched.delete(task)
  if (!changes.inserted.delete(task)) changes.removed.push(task.id)
  if (task.type !== 'NOPLocalWorkflowTask') changes.total -= 1
}

export function noteTermination(changes: Changes, task: Task): void {
  if (task.type === 'NOPLocalWorkflowTask' || task.parameters.counted) return
  changes.finished += 1
}

/** The changes as one commit; null when there is nothing to store. */
export function commitOf(changes: Changes): Commit | null {
  const { patched, inserted, removed, nodeInstanceChanges, nodeInstanceStates, events, record } = changes
  const { total, finished, systemProperties } = changes
  const unchanged =
    patched.size === 0 &&
    inserted.size === 0 &&
    removed.length === 0 &&
    nodeInstanceChanges.length === 0 &&
    nodeInstanceStates.length === 0 &&
    systemProperties.length === 0 &&
    events.length === 0 &&
    record === null
  if (unchanged) return null
  return {
    inserted: Array.from(inserted, storedOperation),
    patched: Array.from(patched, ([task, whole]) =>
      whole
        ? { id: task.id, state: task.state, parameters: task.parameters, dependencies: task.dependencies }
        : { id: task.id, state: task.state },
    ),
    removed,
    nodeInstanceChanges,
    nodeInstanceStates,
    systemProperties,
    events,
    counters: { total, finished },
    record,
  }
}

export function commandsOf(changes: Changes): readonly Command[] {
  const commands: Command[] = changes.toRun.map(({ task, resume }) => ({
    type: 'run',
    operation: storedOperation(task),
    resume,
  }))
  for (const { task, outcome } of changes.toAsk) {
    commands.push({ type: 'ask', operation: storedOperation(task), outcome })
  }
  if (changes.toKill.length > 0) commands.push({ type: 'kill', operationIds: changes.toKill })
  return commands
}
