import type { ActionStep, ExecutionStore, JsonObject } from '@tutti/engine'
import { type ExecutionRow, executionEvents, insertEvents } from '@tutti/storage'
import type { WorkerServices } from '../services.ts'
import { changePhase, previewPhase } from './change-phase.ts'
import { type ExecutionControl, untilLost } from './control.ts'
import { eventRows } from './event-rows.ts'
import { loadModel } from './model-queries.ts'
import {
  clearResumeMode,
  loadGraphs,
  loadSurroundings,
  storeCommit,
  storeGraph,
  storeResume,
  takeStep,
} from './queries.ts'
import { whileHeld } from './while-held.ts'

/** The database that an execution is stored in, written under the lease that `control` holds. */
export function createExecutionStore(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
): ExecutionStore {
  const { db, config } = services
  const { lease } = control
  /** The node of each instance, which events name. */
  let nodes = new Map<string, string>()
  /** Of a dry run: what it would have changed in the database so far, and how the deployment would be then. */
  const dry = {
    steps: [] as readonly ActionStep[],
    model: undefined as Awaited<ReturnType<typeof loadModel>> | undefined,
  }

  return {
    async readDeployment() {
      const model = dry.model ?? (await loadModel(db, execution.tenant_id, execution.deployment_id ?? ''))
      nodes = new Map(model.nodeInstances.map(({ id, node_id }) => [id, node_id]))
      const settings = {
        taskRetries: config.get('task_retries'),
        taskRetryIntervalMs: config.get('task_retry_interval') * 1000,
        subgraphRetries: config.get('subgraph_retries'),
        waitAfterFailMs: execution.wait_after_fail * 1000,
      }
      return { model: { ...model, settings }, context: await operationContext(services, execution) }
    },

    loadGraphs: () => loadGraphs(db, lease),

    storeGraph: (graph, total) =>
      db.transaction().execute((transaction) => storeGraph(transaction, lease, execution, graph, total)),

    storeResume: (prepared) =>
      db.transaction().execute(async (transaction) => {
        for (const [graphId, resume] of prepared) {
          await storeResume(transaction, lease, execution, graphId, resume)
        }
        await clearResumeMode(transaction, lease)
      }),

    /** While the database is away, operations run on and their answers wait. */
    async storeStep(graphId, commit) {
      const step = control.step + 1
      for (const { added } of commit.nodeInstanceChanges) {
        for (const { id, node_id } of added) nodes.set(id, node_id)
      }
      const stored = whileHeld(services, control, () =>
        db.transaction().execute(async (transaction) => {
          const isNew = await takeStep(transaction, lease, step, commit.counters)
          if (!isNew) return
          await storeCommit(transaction, execution, graphId, commit)
          const rows = eventRows(commit.events, (id) => nodes.get(id) ?? null)
          await insertEvents(transaction, executionEvents(execution), rows)
        }),
      )
      await untilLost(control, stored)
      control.step = step
    },

    /** A dry run stores not even how far it has come: taken up again, it begins anew. */
    async change(steps, progress) {
      if (!execution.is_dry_run) return changePhase(db, lease, execution, steps, progress)
      if (!steps.some(({ step }) => step === 'begin')) return { status: 'succeeded' }
      dry.steps = [...dry.steps, ...steps]
      const { end, model } = await previewPhase(db, lease, execution, dry.steps)
      dry.model = model ?? dry.model
      return end
    },
  }
}

/** The part of `__cloudify_context` that is the same for all operations (docs/reference/operations.md, "Context"). */
export async function operationContext(
  services: WorkerServices,
  execution: ExecutionRow,
): Promise<JsonObject> {
  const { tenantName, deployment } = await loadSurroundings(services.db, execution)
  return {
    local: false,
    execution_env: {},
    execution_id: execution.id,
    workflow_id: execution.workflow_id,
    workflow_parameters: execution.parameters as JsonObject,
    // An update makes it another one on its way.
    blueprint_id: deployment?.blueprint_id ?? execution.blueprint_id,
    deployment_id: execution.deployment_id,
    deployment_display_name: execution.deployment_display_name,
    deployment_creator: deployment?.created_by ?? null,
    deployment_resource_tags: (deployment?.resource_tags ?? {}) as JsonObject,
    execution_creator_username: execution.created_by,
    tenant: { name: tenantName },
    runtime_only_evaluation: deployment?.runtime_only_evaluation ?? false,
  }
}
