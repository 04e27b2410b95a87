import { ApiError } from '@tutti/api'
import { DslError, evaluateFunctions, type Json, type JsonObject } from '@tutti/dsl'
import type { WorkflowEnd } from '@tutti/engine'
import {
  type Database,
  deploymentStorage,
  type ExecutionRow,
  findEvaluatedDeployment,
  holdSource,
  insertEvents,
  listTargetFunctions,
  scopeOf,
  setTargets,
} from '@tutti/storage'
import { eventContext } from '../executions/event-rows.ts'
import type { WorkerServices } from '../services.ts'
import { readSecret } from './environment-answers.ts'

/** What a deployment's dependencies point at by functions; or why that cannot be said. */
export type EvaluatedTargets = { readonly targets: ReadonlyMap<string, string | null> } | { error: string }

/**
 * Evaluates the targets of the deployment's dependencies at the end of an execution, which may have set what they read
 * (spec/rest-facts-a.md 10). Undefined when there are none, as with most deployments.
 */
export async function evaluateTargets(
  { db }: WorkerServices,
  execution: ExecutionRow,
): Promise<EvaluatedTargets | undefined> {
  const { tenant_id: tenantId, deployment_id: id, created_by: username } = execution
  if (id === null || execution.is_dry_run) return undefined
  const open = await listTargetFunctions(db, { tenantId, id })
  if (open.length === 0) return undefined
  const scope = await scopeOf(db, tenantId, username)
  const deployment = await findEvaluatedDeployment(db, scope, id)
  if (deployment === undefined) return undefined
  const storage = deploymentStorage({ db, readSecret }, scope, deployment)
  const targets = new Map<string, string | null>()
  for (const { id: dependencyId, creator, func } of open) {
    const { payload, context } = partsOf(func as Json)
    try {
      const value = await evaluateFunctions(payload, context, storage)
      targets.set(dependencyId, typeof value === 'string' && value !== '' ? value : null)
    } catch (error) {
      if (!(error instanceof DslError || error instanceof ApiError)) throw error
      return { error: `The target of dependency ${creator} cannot be evaluated: ${error.message}` }
    }
  }
  return { targets }
}

/** `{function, context}`, or the bare function of older clients. */
function partsOf(func: Json): { readonly payload: Json; readonly context: JsonObject } {
  const whole = func as { readonly function?: Json; readonly context?: JsonObject | null } | null
  if (whole?.function === undefined) return { payload: func, context: {} }
  return { payload: whole.function, context: whole.context ?? {} }
}

/** Stores the targets with the end of the execution. A circle, or what could not be evaluated, makes it a failed one. */
export async function storeTargets(
  transaction: Database,
  execution: ExecutionRow,
  evaluated: EvaluatedTargets | undefined,
  end: WorkflowEnd,
  nowMs: number,
): Promise<WorkflowEnd> {
  if (evaluated === undefined) return end
  const error = 'error' in evaluated ? evaluated.error : await tryTargets(transaction, execution, evaluated)
  if (error === undefined) return end
  await insertEvents(transaction, eventContext(execution), [
    { isLog: true, level: 'error', logger: 'tutti', message: error, reportedAt: new Date(nowMs) },
  ])
  return end.status === 'succeeded' ? { status: 'failed', error } : end
}

async function tryTargets(
  transaction: Database,
  execution: ExecutionRow,
  { targets }: { readonly targets: ReadonlyMap<string, string | null> },
): Promise<string | undefined> {
  const source = { tenantId: execution.tenant_id, id: execution.deployment_id ?? '' }
  if (!(await holdSource(transaction, source.tenantId, source.id))) return undefined
  try {
    await setTargets(transaction, source, targets, execution.created_by)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}
