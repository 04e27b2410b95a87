import { randomUUID } from 'node:crypto'
import {
  countedOperations,
  createGraph,
  type DeploymentModel,
  type JsonObject,
  lifecycleRerun,
  newGraphRecord,
  type Phase,
  type PreparedResume,
  prepareResume,
  type Workflow,
  type WorkflowEnd,
} from '@tutti/engine'
import { type ExecutionRow, executionEvents, insertEvents } from '@tutti/storage'
import { runOnChildren } from '../children/run-on-children.ts'
import type { WorkerServices } from '../services.ts'
import { mappedWorkflow } from '../system/mapped-workflow.ts'
import type { ExecutionControl } from './control.ts'
import { eventRows } from './event-rows.ts'
import { inPieces } from './in-pieces.ts'
import {
  clearResumeMode,
  loadGraphs,
  loadModel,
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
  const children = await runOnOwnChildren(services, execution, control, workflow)
  if (children.status !== 'succeeded') return { end: children, left: null }
  if (execution.resume_mode !== null) await applyResume(run, phases, execution.resume_mode)
  for (const phase of phases) {
    const { outcome, left } = await runPhase(run, workflow, phase)
    if (outcome.status !== 'succeeded') return { end: outcome, left }
  }
  return { end: { status: 'succeeded' }, left: null }
}

/**
 * `uninstall` with `recursive` uninstalls what is in the deployment first (docs/reference/workflows.md, "Recursive
 * uninstall").
 */
async function runOnOwnChildren(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  workflow: Workflow,
): Promise<WorkflowEnd> {
  const { recursive, ignore_failure } = execution.parameters as JsonObject
  if (workflow.name !== 'uninstall' || recursive !== true) return { status: 'succeeded' }
  const parameters = { recursive: true, ignore_failure: ignore_failure === true }
  const end = await runOnChildren({ services, execution, control, workflowId: 'uninstall', parameters })
  return end.status === 'failed' && parameters.ignore_failure ? { status: 'succeeded' } : end
}

type Run = {
  readonly services: WorkerServices
  readonly execution: ExecutionRow
  readonly control: ExecutionControl
  readonly token: string
  readonly context: JsonObject
}

async function runPhase(run: Run, workflow: Workflow, phase: Phase) {
  const { services, execution, control } = run
  const isDry = execution.is_dry_run
  const model = await readModel(run)
  const nodes = new Map(model.nodeInstances.map((instance) => [instance.id, instance.node_id]))
  const stored = isDry
    ? undefined
    : (await loadGraphs(services.db, control.lease)).find((graph) => graph.name === phase.graphName)
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
  phase: Phase,
  model: DeploymentModel,
): Promise<StoredGraph> {
  const { services, execution, control, context } = run
  const operations = await inPieces(control, phase.build({ model, context, newId: randomUUID }))
  if (!execution.is_dry_run) refuseUnbuilt(execution.workflow_id, workflow, operations)
  const graph = { id: randomUUID(), name: phase.graphName, record: newGraphRecord, operations }
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
    const phase = phases.find((one) => one.graphName === name)
    const cleanup = phase?.cleansUpOnResume ? { model, context, newId: randomUUID } : null
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
