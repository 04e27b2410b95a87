import { randomUUID } from 'node:crypto'
import {
  type ChildrenPhase,
  countedOperations,
  createGraph,
  type DeploymentModel,
  type GraphPhase,
  type JsonObject,
  lifecycleRerun,
  newGraphRecord,
  type Phase,
  type PhaseProgress,
  type PreparedResume,
  prepareResume,
  runPhases,
  type Workflow,
  type WorkflowEnd,
  WorkflowError,
} from '@tutti/engine'
import { type ExecutionRow, executionEvents, insertEvents } from '@tutti/storage'
import { runOnChildren } from '../children/run-on-children.ts'
import type { WorkerServices } from '../services.ts'
import { mappedWorkflow } from '../system/mapped-workflow.ts'
import { changePhase } from './change-phase.ts'
import type { ExecutionControl } from './control.ts'
import { eventRows } from './event-rows.ts'
import { inPieces } from './in-pieces.ts'
import { loadModel } from './model-queries.ts'
import {
  clearResumeMode,
  loadGraphs,
  loadSurroundings,
  type StoredGraph,
  storeCommit,
  storeGraph,
  storeResume,
  takeStep,
} from './queries.ts'
import { refuseUnbuilt } from './refuse-unbuilt.ts'
import { type OperationsLeft, runGraph } from './run-graph.ts'

export type WorkflowRun = { readonly end: WorkflowEnd; readonly left: OperationsLeft | null }

/** Runs a built-in workflow on a deployment, from wherever its stored graphs are, to its end. */
export async function runWorkflow(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  token: string,
): Promise<WorkflowRun> {
  const workflow = await mappedWorkflow(services.db, execution)
  const phases = workflow.phases(execution.parameters as JsonObject)
  const context = await operationContext(services, execution)
  const run = { services, execution, control, token, context }
  const progress = execution.phase as PhaseProgress | null
  let resumeMode = execution.resume_mode
  const last: { left: OperationsLeft | null } = { left: null }
  if (resumeMode !== null && progress !== null && 'ended' in progress) {
    throw new WorkflowError(
      'What this execution had begun was undone, so it cannot be resumed: start a new one',
    )
  }
  const end = await runPhases(phases, progress, {
    async graph(phase) {
      // Not before the children of a resumed execution are done: until then they are tried again as well.
      if (resumeMode !== null) await applyResume(run, phases, resumeMode)
      resumeMode = null
      const ended = await orRefused(() => runPhase(run, workflow, phase))
      if ('status' in ended) return ended
      last.left = ended.left
      return ended.outcome
    },
    children: (phase) => orRefused(() => runChildren(run, phase)),
    async change(steps, changed) {
      // Nothing of the execution may still be at work when what it has begun is undone.
      await last.left?.done
      return changePhase(services.db, control.lease, execution, steps, changed)
    },
  })
  return { end, left: last.left }
}

/** What cannot be carried out is the end of the workflow, once what it has begun is undone. */
async function orRefused<T>(work: () => Promise<T>): Promise<T | WorkflowEnd> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof WorkflowError) return { status: 'failed', error: error.message }
    throw error
  }
}

async function runChildren(run: Run, phase: ChildrenPhase): Promise<WorkflowEnd> {
  const { services, execution, control } = run
  const { workflowId, parameters, ignoresFailure } = phase
  const end = await runOnChildren({ services, execution, control, workflowId, parameters })
  return end.status === 'failed' && ignoresFailure ? { status: 'succeeded' } : end
}

type Run = {
  readonly services: WorkerServices
  readonly execution: ExecutionRow
  readonly control: ExecutionControl
  readonly token: string
  readonly context: JsonObject
}

async function runPhase(run: Run, workflow: Workflow, phase: GraphPhase) {
  const { services, execution, control } = run
  const isDry = execution.is_dry_run
  const model = await readModel(run)
  const nodes = new Map(model.nodeInstances.map((instance) => [instance.id, instance.node_id]))
  const stored = isDry
    ? undefined
    : (await loadGraphs(services.db, control.lease)).find((graph) => graph.name === phase.name)
  const graph = stored ?? (await buildAndStore(run, workflow, phase, model))
  return runGraph({
    ...run,
    graph: await inPieces(
      control,
      createGraph(graph.operations, graph.record, {
        newId: randomUUID,
        waitAfterFailMs: execution.wait_after_fail * 1000,
        dryRun: isDry,
        rerunLifecycle: lifecycleRerun({ model, context: run.context }),
      }),
    ),
    store: (commit, step) =>
      services.db.transaction().execute(async (transaction) => {
        const isNew = await takeStep(transaction, control.lease, step, commit.counters)
        if (!isNew) return
        const rows = eventRows(commit.events, (id) => nodes.get(id) ?? null)
        await storeCommit(transaction, execution, graph.id, commit)
        await insertEvents(transaction, executionEvents(execution), rows)
      }),
  })
}

async function buildAndStore(
  run: Run,
  workflow: Workflow,
  phase: GraphPhase,
  model: DeploymentModel,
): Promise<StoredGraph> {
  const { services, execution, control, context } = run
  const operations = await inPieces(control, phase.build({ model, context, newId: randomUUID }))
  if (!execution.is_dry_run) {
    await inPieces(control, refuseUnbuilt(execution.workflow_id, workflow, operations))
  }
  const graph = { id: randomUUID(), name: phase.name, record: newGraphRecord, operations }
  if (execution.is_dry_run) return graph
  const total = await inPieces(control, countedOperations(operations))
  await services.db
    .transaction()
    .execute((transaction) => storeGraph(transaction, control.lease, execution, graph, total))
  return graph
}

/**
 * Once for each resume request: the reset and the request's end are one transaction (docs/reference/workflows.md,
 * "Resuming").
 */
async function applyResume(
  run: Run,
  phases: readonly Phase[],
  mode: 'resume' | 'force-resume',
): Promise<void> {
  const { services, execution, control, context } = run
  const graphs = await loadGraphs(services.db, control.lease)
  const model = await readModel(run)
  const prepared = new Map<string, PreparedResume>()
  for (const { id, name, operations } of graphs) {
    const phase = phases.find((one) => one.name === name)
    const cleansUp = phase?.kind === 'graph' && phase.cleansUpOnResume
    const cleanup = cleansUp ? { model, context, newId: randomUUID } : null
    prepared.set(id, await inPieces(control, prepareResume(operations, mode, cleanup)))
  }
  await services.db.transaction().execute(async (transaction) => {
    for (const [graphId, resume] of prepared) {
      await storeResume(transaction, control.lease, execution, graphId, resume)
    }
    await clearResumeMode(transaction, control.lease)
  })
}

async function readModel({ services, execution }: Run): Promise<DeploymentModel> {
  const { config } = services
  const { nodes, nodeInstances } = await loadModel(
    services.db,
    execution.tenant_id,
    execution.deployment_id ?? '',
  )
  return {
    nodes,
    nodeInstances,
    settings: {
      taskRetries: config.get('task_retries'),
      taskRetryIntervalMs: config.get('task_retry_interval') * 1000,
      subgraphRetries: config.get('subgraph_retries'),
      waitAfterFailMs: execution.wait_after_fail * 1000,
    },
  }
}

/** The part of `__cloudify_context` that is the same for all operations (docs/reference/operations.md, "Context"). */
async function operationContext(services: WorkerServices, execution: ExecutionRow): Promise<JsonObject> {
  const { tenantName, deployment } = await loadSurroundings(services.db, execution)
  return {
    local: false,
    execution_env: {},
    execution_id: execution.id,
    workflow_id: execution.workflow_id,
    workflow_parameters: execution.parameters as JsonObject,
    blueprint_id: execution.blueprint_id,
    deployment_id: execution.deployment_id,
    deployment_display_name: execution.deployment_display_name,
    deployment_creator: deployment?.created_by ?? null,
    deployment_resource_tags: (deployment?.resource_tags ?? {}) as JsonObject,
    execution_creator_username: execution.created_by,
    tenant: { name: tenantName },
    runtime_only_evaluation: deployment?.runtime_only_evaluation ?? false,
  }
}
