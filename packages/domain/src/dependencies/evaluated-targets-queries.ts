import { ApiError } from '@tutti/api'
import type { Json, JsonObject } from '@tutti/dsl'
import type { Database, ExecutionRow, Transaction } from '@tutti/storage'
import { executionEvents, insertEvents } from '@tutti/storage'
import { listTargetFunctions, setTargets } from './change-queries.ts'
import { holdSource } from './targets-queries.ts'

/** What a deployment's dependencies point at by functions; or why that cannot be said. */
export type EvaluatedTargets = { readonly targets: ReadonlyMap<string, string | null> } | { error: string }

/** The language's evaluation, in the scope of the deployment. @throws ApiError for what has no value */
type Evaluate = (payload: Json, context: JsonObject) => Promise<Json>

/**
 * Evaluates the targets of the deployment's dependencies at the end of an execution, which may have set what they read
 * (docs/reference/environments-and-dependencies.md, "Targets by function"). Undefined when there are none, as with most
 * deployments, and when the deployment is not there to `open`.
 */
export async function evaluateTargets(
  db: Database,
  { tenant_id: tenantId, deployment_id: id, is_dry_run: isDryRun }: Source,
  open: (deploymentId: string) => Promise<Evaluate | undefined>,
): Promise<EvaluatedTargets | undefined> {
  if (id === null || isDryRun) return undefined
  const functions = await listTargetFunctions(db, { tenantId, id })
  const evaluate = functions.length === 0 ? undefined : await open(id)
  if (evaluate === undefined) return undefined
  const targets = new Map<string, string | null>()
  for (const { id: dependencyId, creator, func } of functions) {
    const { payload, context } = partsOf(func as Json)
    try {
      const value = await evaluate(payload, context)
      targets.set(dependencyId, typeof value === 'string' && value !== '' ? value : null)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { error: `The target of dependency ${creator} cannot be evaluated: ${error.message}` }
    }
  }
  return { targets }
}

type Source = Pick<ExecutionRow, 'tenant_id' | 'deployment_id' | 'is_dry_run'>

/** `{function, context}`, or the bare function of older clients. */
function partsOf(func: Json): { readonly payload: Json; readonly context: JsonObject } {
  const whole = func as { readonly function?: Json; readonly context?: JsonObject | null } | null
  if (whole?.function === undefined) return { payload: func, context: {} }
  return { payload: whole.function, context: whole.context ?? {} }
}

/**
 * Stores the targets with the end of the execution. A circle, or what could not be evaluated, is logged and answered: it
 * makes the execution a failed one.
 */
export async function storeTargets(
  transaction: Transaction,
  execution: ExecutionRow,
  evaluated: EvaluatedTargets | undefined,
  reportedAt: Date,
): Promise<string | undefined> {
  if (evaluated === undefined) return undefined
  const error = 'error' in evaluated ? evaluated.error : await tryTargets(transaction, execution, evaluated)
  if (error === undefined) return undefined
  await insertEvents(transaction, executionEvents(execution), [
    { isLog: true, level: 'error', logger: 'tutti', message: error, reportedAt },
  ])
  return error
}

async function tryTargets(
  transaction: Transaction,
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
