import {
  type ActionStep,
  builtInMapping,
  builtInWorkflow,
  type CancelMode,
  type ChildrenPhase,
  changedModel,
  type DeploymentModel,
  type ExecutionStore,
  finish,
  type GraphEvent,
  isTerminated,
  type JsonObject,
  type JsonValue,
  type NodeInstanceChange,
  type OperationError,
  type Runner,
  type RunningOperations,
  runWorkflow,
  type StoredOperation,
  type Workflow,
  type WorkflowEnd,
} from '../src/index.ts'
import { operationOf } from '../src/task.ts'
import { loadGraphs, type MemoryStore, storeGraph, storeResume, storeStep } from './memory-store.ts'
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
  readonly workflow: Workflow
  readonly parameters: JsonObject
  readonly script: Script
  readonly newId: () => string
  readonly batchSize?: number
  readonly dryRun?: boolean
  readonly clock: { nowMs: number }
  /** Everything that executors really did, whoever asked for it. */
  readonly executions: Execution[]
  readonly onRun?: (operation: StoredOperation) => void
  /** What was stored, and where a runner may have crashed: before and after each of these and each command. */
  readonly counts: { commits: number; points: number }
  /** Given to each graph whenever a runner begins with it: it cannot know what the one before has stored. */
  readonly added?: readonly StoredOperation[]
  readonly children?: (phase: ChildrenPhase) => WorkflowEnd
  /** What the action `modification` adds, and what it marks as to be removed. */
  readonly modifies?: { readonly change: NodeInstanceChange; readonly removed: readonly string[] }
  /** Why the step of an action is refused; undefined when it is not. */
  readonly refusal?: (step: ActionStep) => string | undefined
}

export function counterIds(prefix = 'op'): () => string {
  let last = 0
  return () => `${prefix}${++last}`
}

export function world(
  model: DeploymentModel,
  script: Script = () => ({}),
  workflow = 'install',
  parameters: JsonObject = {},
): World {
  return {
    model,
    workflow: builtInWorkflow(builtInMapping(workflow), workflow),
    parameters,
    script,
    newId: counterIds(),
    clock: { nowMs: 1_000_000 },
    executions: [],
    counts: { commits: 0, points: 0 },
  }
}

export type Requests = {
  /** Cancel requests by the key of the operation whose sending they follow. */
  readonly cancelWhenSent?: { readonly key: string; readonly mode: CancelMode }
}

/** Points at which the run that came to its end in this world might have crashed: so many at most, spread over it. */
export function* pointsOf({ counts }: World, atMost: number, from = 1): Generator<number> {
  const stride = Math.ceil(counts.points / atMost)
  for (let point = from; point <= counts.points; point += stride) yield point
}

class Crashed extends Error {}

/** An error inside a runner, which its execution ends with. */
export class Broken extends Error {}

/**
 * Runs the workflow from wherever `memory` has it to its end, in simulated time, by the loop that workers run. `crashAt`:
 * at that point of the world's, nothing more of this run happens; `crashed` when it came to that.
 */
export async function run(
  world: World,
  memory: MemoryStore,
  crashAt: number | null = null,
  requests: Requests = {},
): Promise<WorkflowEnd | 'crashed'> {
  const { workflow, parameters, dryRun: isDryRun = false } = world
  const { progress, resumeMode } = memory
  const runner = memoryRunner(world, memory, crashAt, requests)
  try {
    const { end, left } = await runWorkflow({ workflow, parameters, progress, resumeMode, isDryRun }, runner)
    await left?.done
    return end
  } catch (error) {
    if (error instanceof Crashed) return 'crashed'
    throw error
  }
}

function memoryRunner(world: World, memory: MemoryStore, crashAt: number | null, requests: Requests): Runner {
  const { clock, newId, counts } = world
  let isDead = false
  let turns = 0
  let answers: Answer[] = []
  let report: (event: GraphEvent) => void = () => {}
  const control = {
    cancelMode: null as CancelMode | null,
    endsLeft: false,
    lost: new AbortController().signal,
    isDraining: false,
    isOutOfTime: false,
  }

  /** The process may be gone from here on. */
  function point(): void {
    if (!isDead) counts.points += 1
    if (crashAt !== null && counts.points >= crashAt) isDead = true
    if (isDead) throw new Crashed()
  }

  const stored =
    <Arguments extends readonly unknown[]>(write: (...values: Arguments) => void) =>
    async (...values: Arguments): Promise<void> => {
      point()
      write(...values)
      counts.commits += 1
      point()
    }

  const change = stored((steps: readonly ActionStep[], progress: MemoryStore['progress']) => {
    for (const one of steps) {
      memory.actions.push(`${one.step} ${one.phase.name}`)
      if (one.phase.action === 'modification') modify(world, memory, one.step)
    }
    memory.progress = JSON.parse(JSON.stringify(progress))
  })

  const store: ExecutionStore = {
    readDeployment: async () => {
      const model = memory.instanceChanges.reduce(changedModel, world.model)
      const { modification } = memory
      return {
        model: {
          ...withStates(model, memory.instanceStates, memory.systemProperties),
          ...(modification !== null && { modification }),
        },
        context: { execution_id: 'execution' },
      }
    },
    loadGraphs: async () => loadGraphs(memory),
    storeGraph: stored((graph) => storeGraph(memory, graph)),
    storeResume: stored((prepared) => storeResume(memory, prepared)),
    storeStep: stored((graphId, commit) => storeStep(memory, graphId, commit)),
    async change(steps, progress) {
      const refused = steps.flatMap((step) => world.refusal?.(step) ?? [])[0]
      if (refused !== undefined) return { status: 'failed', error: refused }
      await change(steps, progress)
      return { status: 'succeeded' }
    },
  }

  function openOperations(reportTo: typeof report): RunningOperations {
    report = reportTo
    const running = () => answers.length
    if (world.added !== undefined) report({ type: 'operations-added', operations: world.added })
    const kill = (ids: readonly string[]) => {
      const [ended, others] = [true, false].map((isMeant) =>
        answers.filter(({ operationId }) => ids.includes(operationId) === isMeant),
      ) as [Answer[], Answer[]]
      answers = others
      for (const { operationId } of ended) report(killed(operationId, clock.nowMs))
    }
    return {
      start(operation, resume) {
        point()
        const answer = execute(world, memory, operation, resume)
        answers.push(answer)
        // Quick operations end before their start is worth a report.
        if (answer.atMs - clock.nowMs >= 500) {
          const { operationId } = answer
          report({ type: 'operation-started', operationId, atMs: clock.nowMs })
        }
        const { cancelWhenSent: request } = requests
        if (request?.key === keyOf(operation)) control.cancelMode = request.mode
      },
      kill,
      killAll: () => kill(answers.map(({ operationId }) => operationId)),
      get running() {
        return running()
      },
      idle: async () => {
        while (running() > 0 && !isDead) await untilWoken(null)
      },
    }
  }

  /** Moves the clock to whatever comes first and gives every answer that is there by then. */
  async function untilWoken(atMs: number | null): Promise<void> {
    if (++turns > 100_000) throw new Error('the workflow does not come to an end')
    const first = Math.min(...answers.map((answer) => answer.atMs), atMs ?? Number.POSITIVE_INFINITY)
    if (first === Number.POSITIVE_INFINITY) throw new Error('nothing is left to wait for')
    clock.nowMs = Math.max(clock.nowMs, first)
    const arrived = answers.filter((answer) => answer.atMs <= clock.nowMs)
    answers = answers.filter((answer) => answer.atMs > clock.nowMs)
    for (const answer of arrived) report(answer)
  }

  return {
    store,
    control,
    now: () => clock.nowMs,
    newId,
    inPieces: async (work) => finish(work),
    untilWoken,
    openOperations,
    async checkRunnable() {},
    children: async (phase) => {
      point()
      return world.children?.(phase) ?? { status: 'succeeded' }
    },
    failureOf: (error) => (error instanceof Broken ? error.message : undefined),
    ...(world.batchSize !== undefined && { batchSize: world.batchSize }),
  }
}

/** The rules of the action `modification`, in short (`packages/domain/src/deployment-modifications`). */
function modify({ model, modifies }: World, memory: MemoryStore, step: ActionStep['step']): void {
  if (modifies === undefined) throw new Error('the world does not say what is modified')
  const { change, removed } = modifies
  const { instanceChanges, instanceStates, systemProperties, modification } = memory
  if (step === 'begin') {
    const before = {
      changes: instanceChanges.length,
      states: new Map(instanceStates),
      systemProperties: new Map(systemProperties),
    }
    memory.modification = {
      added: new Set(change.added.map(({ id }) => id)),
      removed: new Set(removed),
      before,
    }
    instanceChanges.push(change)
    return
  }
  if (modification === null) throw new Error(`${step}: no modification is started`)
  memory.modification = null
  if (step === 'end') {
    const gone = new Set(removed)
    const { nodeInstances } = instanceChanges.reduce(changedModel, model)
    const rewired = nodeInstances.flatMap(({ id, relationships }) => {
      const left = relationships.filter(({ target_id }) => !gone.has(target_id))
      return gone.has(id) || left.length === relationships.length ? [] : [{ id, relationships: left }]
    })
    instanceChanges.push({ added: [], rewired, removed })
    return
  }
  const { before } = modification
  instanceChanges.length = before.changes
  restore(instanceStates, before.states)
  restore(systemProperties, before.systemProperties)
}

function restore<Value>(map: Map<string, Value>, before: ReadonlyMap<string, Value>): void {
  map.clear()
  for (const [key, value] of before) map.set(key, value)
}

const killed = (operationId: string, atMs: number): Answer => ({
  type: 'operation-ended',
  operationId,
  atMs,
  outcome: { ok: false, error: { kind: 'killed', type: 'ProcessKilled', message: 'killed' } },
})

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
