import {
  createGraph,
  type DeploymentModel,
  finish,
  type GraphEvent,
  type GraphOptions,
  type GraphOutcome,
  isTerminated,
  type JsonValue,
  lifecycleRerun,
  type OperationError,
  reduce,
  type StoredOperation,
} from '../src/index.ts'
import { operationOf } from '../src/task.ts'
import { type MemoryStore, store } from './memory-store.ts'
import { withStates } from './model-builder.ts'

type Answer = Extract<GraphEvent, { type: 'operation-ended' }>

/** What an operation does at its n-th attempt (0 = first). */
export type Script = (key: string, attempt: number) => Behaviour

export type Behaviour = {
  readonly error?: Partial<OperationError>
  readonly result?: JsonValue
  /** Default 1,000. */
  readonly takesMs?: number
}

export type Execution = {
  readonly key: string
  readonly operationId: string
  readonly resume: boolean
  readonly atMs: number
}

export type World = {
  readonly model: DeploymentModel
  readonly script: Script
  readonly options: Partial<GraphOptions> & { readonly newId: () => string }
  readonly clock: { nowMs: number }
  /** Everything that executors really did, whoever asked for it. */
  readonly executions: Execution[]
  readonly onRun?: (operation: StoredOperation) => void
  readonly commits: { count: number }
  /** Given to the graph whenever a runner begins with it: it cannot know what the one before has stored. */
  readonly added?: readonly StoredOperation[]
}

export function counterIds(prefix = 'op'): () => string {
  let last = 0
  return () => `${prefix}${++last}`
}

export function world(model: DeploymentModel, script: Script = () => ({})): World {
  const clock = { nowMs: 1_000_000 }
  return { model, script, options: { newId: counterIds() }, clock, executions: [], commits: { count: 0 } }
}

/**
 * `after-commit`: the n-th commit is stored, none of its commands is performed. `after-commands`: they
 * are, but no answer comes back.
 */
export type Crash = {
  readonly atCommit: number
  readonly when: 'after-commit' | 'after-commands'
}

export type Requests = {
  /** Cancel requests by the key of the operation whose sending they follow. */
  readonly cancelWhenSent?: { readonly key: string; readonly mode: 'cancel' | 'force-cancel' | 'kill' }
}

/** Runs the stored graph to its end in simulated time; `crashed` when the crash came first. */
export function run(
  world: World,
  memory: MemoryStore,
  crash: Crash | null = null,
  requests: Requests = {},
): GraphOutcome | 'crashed' {
  const model = withStates(world.model, memory.instanceStates)
  let graph = finish(
    createGraph([...memory.operations.values()], memory.record, {
      waitAfterFailMs: model.settings.waitAfterFailMs,
      rerunLifecycle: lifecycleRerun({ model, context: {} }),
      ...world.options,
    }),
  )
  const answers: Answer[] = []
  let events: readonly GraphEvent[] =
    world.added === undefined ? [] : [{ type: 'operations-added', operations: world.added }]
  for (let turn = 0; turn < 100_000; turn += 1) {
    const reduction = reduce(graph, events, world.clock.nowMs)
    graph = reduction.state
    if (reduction.commit !== null) {
      store(memory, reduction.commit)
      world.commits.count += 1
    }
    const crashes = crash !== null && reduction.commit !== null && world.commits.count >= crash.atCommit
    if (crashes && crash.when === 'after-commit') return 'crashed'
    if (reduction.outcome !== null) return reduction.outcome
    const requested: GraphEvent[] = []
    for (const command of reduction.commands) {
      if (command.type !== 'run') continue
      const key = keyOf(command.operation)
      const answer = execute(world, memory, command.operation, command.resume)
      answers.push(answer)
      // Quick operations end before their start is worth a report.
      if (answer.atMs - world.clock.nowMs >= 500) {
        requested.push({
          type: 'operation-started',
          operationId: answer.operationId,
          atMs: world.clock.nowMs,
        })
      }
      if (requests.cancelWhenSent?.key === key) {
        requested.push({ type: 'cancel-requested', mode: requests.cancelWhenSent.mode })
      }
    }
    if (crashes) return 'crashed'
    events = requested.length > 0 || reduction.more ? requested : next(world, answers, reduction.wakeAtMs)
  }
  throw new Error('the graph does not come to an end')
}

function execute(world: World, memory: MemoryStore, operation: StoredOperation, resume: boolean): Answer {
  world.onRun?.(operation)
  const key = keyOf(operation)
  const earlier = [...memory.operations.values()].filter(
    (row) => keyOf(row) === key && isTerminated(row.state) && row.id !== operation.id,
  )
  const { error, result = null, takesMs = 1_000 } = world.script(key, earlier.length)
  const startedAtMs = world.clock.nowMs
  world.executions.push({ key, operationId: operation.id, resume, atMs: startedAtMs })
  return {
    type: 'operation-ended',
    operationId: operation.id,
    atMs: startedAtMs + takesMs,
    startedAtMs,
    outcome:
      error === undefined
        ? { ok: true, result }
        : { ok: false, error: { kind: 'recoverable', type: 'RecoverableError', message: 'no', ...error } },
  }
}

/** Moves the clock to whatever comes first and takes every answer that is there by then. */
function next(world: World, answers: Answer[], wakeAtMs: number | null): readonly GraphEvent[] {
  const times = answers.map((answer) => answer.atMs)
  const atMs = Math.min(...times, wakeAtMs ?? Number.POSITIVE_INFINITY)
  if (atMs === Number.POSITIVE_INFINITY) throw new Error('nothing is left to wait for')
  world.clock.nowMs = Math.max(world.clock.nowMs, atMs)
  const arrived = answers.filter((answer) => answer.atMs <= world.clock.nowMs)
  const rest = answers.filter((answer) => !arrived.includes(answer))
  answers.splice(0, answers.length, ...rest)
  return arrived
}

/** `db_1 lifecycle.create`, `app_1 relationship_lifecycle.establish source to db_1`. */
export function keyOf(operation: StoredOperation): string {
  const { operation: name, nodeInstanceId } = operationOf(operation.parameters)
  if (name === null) return operation.name
  const kwargs = JSON.parse(JSON.stringify(operation.parameters.task_kwargs.kwargs))
  const { related } = kwargs.__cloudify_context
  const short = name.replace('cloudify.interfaces.', '')
  if (related === undefined) return `${nodeInstanceId} ${short}`
  return `${nodeInstanceId} ${short} ${related.is_target ? 'to' : 'from'} ${related.node_id}`
}
