import { type Commit, type GraphRecord, newGraphRecord } from './commit.ts'
import { createGraph } from './create-graph.ts'
import type { JsonObject } from './json.ts'
import { lifecycleRerun } from './lifecycle/rerun.ts'
import { type PreparedResume, prepareResume } from './prepare-resume.ts'
import { type GraphEnd, type GraphRunner, type OperationsLeft, runGraph } from './run-graph.ts'
import { type ActionStep, type PhaseProgress, runPhases, undoGraphs } from './run-phases.ts'
import { countedOperations, type StoredOperation } from './stored-operation.ts'
import type { Work } from './work.ts'
import {
  type BuildInput,
  type ChildrenPhase,
  type GraphPhase,
  type Workflow,
  WorkflowError,
} from './workflow.ts'
import type { WorkflowEnd } from './workflow-events.ts'

/** An execution of a workflow, as it is stored. */
export type StoredRun = {
  readonly workflow: Workflow
  readonly parameters: JsonObject
  readonly progress: PhaseProgress | null
  /** What was asked for since it last ended; null when nothing was, or a runner was lost. */
  readonly resumeMode: 'resume' | 'force-resume' | null
  /** Graphs are made and gone through, and stored nowhere. */
  readonly isDryRun: boolean
}

export type StoredGraph = {
  readonly id: string
  readonly name: string
  readonly record: GraphRecord
  readonly operations: readonly StoredOperation[]
}

/** What the execution is stored in. Whatever it stores is one transaction, fenced by the execution's lease. */
export type ExecutionStore = {
  /** The deployment as it is now, and what every operation is told. */
  readDeployment(): Promise<Pick<BuildInput, 'model' | 'context'>>
  loadGraphs(): Promise<readonly StoredGraph[]>
  /** @param total what it adds to the execution's `total_operations` */
  storeGraph(graph: StoredGraph, total: number): Promise<void>
  /** Changes graphs, by id, for the resume that was asked for, and takes the request for it away. */
  storeResume(prepared: ReadonlyMap<string, PreparedResume>): Promise<void>
  /** One step of a graph, once, however often it has to be tried. */
  storeStep(graphId: string, commit: Commit): Promise<void>
  /** These steps of actions in order, then the progress: `PhasePerformer.change`. */
  change(steps: readonly ActionStep[], progress: PhaseProgress): Promise<WorkflowEnd>
}

/**
 * What an execution is run with. Whatever reaches outside the engine goes through here: the worker gives the database,
 * executors and the clock, the property tests maps and numbers. What any of it rejects with ends the run where it is, to
 * be taken up again from what is stored.
 */
export type Runner = GraphRunner & {
  readonly store: ExecutionStore
  newId(): string
  /** Operations that one step starts at most (`GraphOptions`). */
  readonly batchSize?: number
  /** Does what takes long for a large graph. */
  inPieces<T>(work: Work<T>): Promise<T>
  /** @throws WorkflowError when a new graph could not be gone through to its end */
  checkRunnable(operations: readonly StoredOperation[]): Promise<void>
  /** @throws WorkflowError */
  children(phase: ChildrenPhase): Promise<WorkflowEnd>
  /** Why an execution fails when that was thrown inside; undefined where it is to be taken up again as it is stored. */
  failureOf(error: unknown): string | undefined
}

export type WorkflowRun = { readonly end: WorkflowEnd; readonly left: OperationsLeft | null }

/**
 * Runs a workflow from wherever it is stored to its end: THE loop, of the worker and of the property tests.
 *
 * @throws WorkflowError when it cannot be gone on with; Stopped when it is to be left to another runner
 */
export async function runWorkflow(stored: StoredRun, runner: Runner): Promise<WorkflowRun> {
  const { workflow, parameters, progress } = stored
  const phases = workflow.phases(parameters)
  let { resumeMode } = stored
  if (resumeMode !== null && !workflow.resumable) {
    throw new WorkflowError('Cannot resume - workflow not resumable')
  }
  const last: { left: OperationsLeft | null } = { left: null }
  if (resumeMode !== null && progress !== null && 'ended' in progress) {
    throw new WorkflowError(
      'What this execution had begun was undone, so it cannot be resumed: start a new one',
    )
  }
  const end = await runPhases(phases, progress, {
    async graph(phase) {
      // Not before the children of a resumed execution are done: until then they are tried again as well.
      const ended = await orFailed(runner, async () => {
        if (resumeMode !== null) await applyResume(runner, stored, resumeMode)
        resumeMode = null
        return runGraphPhase(stored, phase, runner)
      })
      if ('status' in ended) return ended
      last.left = ended.left
      return ended.outcome
    },
    children: (phase) =>
      orFailed(runner, async () => {
        const ended = await runner.children(phase)
        return ended.status === 'failed' && phase.ignoresFailure ? { status: 'succeeded' } : ended
      }),
    async change(steps, changed) {
      // Nothing of the execution may still be at work when what it has begun is undone.
      await last.left?.done
      return orFailed(runner, () => runner.store.change(steps, changed))
    },
  })
  return { end, left: last.left }
}

/** What cannot be carried out, and what goes wrong inside, is the workflow's end, once what it has begun is undone. */
async function orFailed<T>(runner: Runner, work: () => Promise<T>): Promise<T | WorkflowEnd> {
  try {
    return await work()
  } catch (error) {
    const why = error instanceof WorkflowError ? error.message : runner.failureOf(error)
    if (why === undefined) throw error
    return { status: 'failed', error: why }
  }
}

async function runGraphPhase({ isDryRun }: StoredRun, phase: GraphPhase, runner: Runner): Promise<GraphEnd> {
  const { store } = runner
  const deployment = await store.readDeployment()
  const stored = isDryRun ? undefined : (await store.loadGraphs()).find(({ name }) => name === phase.name)
  if (stored !== undefined && !isOwn(stored)) {
    throw new WorkflowError(
      `The tasks graph ${phase.name} of this execution was stored by a client of the API: it is not run`,
    )
  }
  const graph = stored ?? (await newGraph(phase, deployment, isDryRun, runner))
  const options = {
    newId: runner.newId,
    waitAfterFailMs: deployment.model.settings.waitAfterFailMs,
    dryRun: isDryRun,
    rerunLifecycle: lifecycleRerun(deployment),
    changesNodeInstances: phase.changesNodeInstances === true,
    ...(runner.batchSize !== undefined && { batchSize: runner.batchSize }),
  }
  return runGraph(
    await runner.inPieces(createGraph(graph.operations, graph.record, options)),
    (commit) => store.storeStep(graph.id, commit),
    runner,
  )
}

/** Whoever has the token of an execution can store graphs of it; the record beside a graph only the runner writes. */
const isOwn = ({ record }: StoredGraph): boolean =>
  Array.isArray((record as Partial<GraphRecord>).failedOperationIds)

async function newGraph(
  phase: GraphPhase,
  deployment: Pick<BuildInput, 'model' | 'context'>,
  isDryRun: boolean,
  runner: Runner,
): Promise<StoredGraph> {
  const operations = await runner.inPieces(phase.build({ ...deployment, newId: runner.newId }))
  const graph = { id: runner.newId(), name: phase.name, record: newGraphRecord, operations }
  if (isDryRun) return graph
  if (phase.mayStopHalfway !== true) await runner.checkRunnable(operations)
  await runner.store.storeGraph(graph, await runner.inPieces(countedOperations(operations)))
  return graph
}

/**
 * Once for each resume request: the reset and the request's end are one transaction (docs/reference/workflows.md,
 * "Resuming").
 */
async function applyResume(
  { store, inPieces, newId }: Runner,
  { workflow, parameters, progress }: StoredRun,
  mode: 'resume' | 'force-resume',
): Promise<void> {
  const phases = workflow.phases(parameters)
  // What is being undone does not go on.
  const isUndoing = progress !== null && 'undoing' in progress
  const undoing = new Set(undoGraphs(phases).map(({ name }) => name))
  const graphs = (await store.loadGraphs()).filter(({ name }) => !isUndoing || undoing.has(name))
  const deployment = await store.readDeployment()
  const prepared = new Map<string, PreparedResume>()
  for (const { id, name, operations } of graphs) {
    const phase = phases.find((one) => one.name === name)
    const cleansUp = phase?.kind === 'graph' && phase.cleansUpOnResume
    const cleanup = cleansUp ? { ...deployment, newId } : null
    prepared.set(id, await inPieces(prepareResume(operations, mode, cleanup)))
  }
  await store.storeResume(prepared)
}
