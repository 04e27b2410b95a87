import { isDeepStrictEqual } from 'node:util'
import { ApiError, unavailableWorkflow } from '@tutti/api'
import { DslError, holdsCall, type Json, type PlanWorkflow, whyUnavailable } from '@tutti/dsl'
import { whyNotRun } from '@tutti/engine'
import type { Database, ExecutionRow } from '@tutti/storage'
import { evaluatePayload, evaluatorWithoutSecrets, openEvaluation } from '../evaluation/index.ts'
import { scopeOf } from '../scope-of-queries.ts'
import { readDeploymentStates } from './deployment-states-queries.ts'
import { checkParameters, declaredParameters } from './parameters.ts'
import { readWorkflow } from './queries.ts'

type Parameters = Readonly<Record<string, Json>>
type Checked =
  | { readonly ok: true; readonly parameters: Parameters }
  | { readonly ok: false; readonly error: string }

/**
 * What let an execution into the queue is looked at again as it starts, because the deployment is another by now; of
 * one that was being created, it could not all be looked at (docs/reference/executions.md, "Dequeue"). The parameters
 * as it runs with them.
 */
export async function checkAtStart(db: Database, execution: ExecutionRow): Promise<Checked> {
  const parameters = execution.parameters as Parameters
  const { deployment_id: deploymentId, workflow_id: workflowId } = execution
  if (!execution.checks_at_start || execution.status !== 'pending' || deploymentId === null) {
    return { ok: true, parameters }
  }
  const workflow = await readWorkflow(db, execution.tenant_id, deploymentId, workflowId)
  if (workflow === null) {
    return { ok: false, error: `Workflow ${workflowId} does not exist in deployment ${deploymentId}` }
  }
  const notBuiltIn = whyNotRun(workflowId, workflow)
  if (notBuiltIn !== undefined)
    return { ok: false, error: `Workflow ${workflowId} cannot be run: ${notBuiltIn}` }
  const why = execution.force || execution.resume ? undefined : await unavailability(db, execution, workflow)
  if (why !== undefined) {
    return { ok: false, error: unavailableWorkflow(workflowId, deploymentId, why).message }
  }
  try {
    return { ok: true, parameters: await parametersNow(db, execution, deploymentId, workflow) }
  } catch (error) {
    if (error instanceof DslError || error instanceof ApiError) return { ok: false, error: error.message }
    throw error
  }
}

async function unavailability(
  db: Database,
  { tenant_id: tenantId, deployment_id: id }: ExecutionRow,
  { availability_rules: rules }: PlanWorkflow,
): Promise<string | undefined> {
  if (rules === null || id === null) return undefined
  const state = (await readDeploymentStates(db, tenantId, [id])).get(id)
  return state && whyUnavailable(rules, state)
}

async function parametersNow(
  db: Database,
  execution: ExecutionRow,
  deploymentId: string,
  workflow: PlanWorkflow,
): Promise<Parameters> {
  const stored = execution.parameters as Parameters
  const scope = await scopeOf(db, execution.tenant_id, execution.created_by)
  const evaluator = evaluatorWithoutSecrets(db)
  const declared = await declaredParameters(evaluator, scope, deploymentId, workflow)
  const schema = withDefaultsOf(stored, declared)
  const given = {
    deploymentId,
    workflowId: execution.workflow_id,
    parameters: withoutDefaults(stored, schema),
    allowCustomParameters: execution.allow_custom_parameters,
  }
  const checked = await checkParameters(evaluator, scope, given, schema)
  if (!Object.values(checked).some(isOpen)) return checked
  // The deployment may be somebody's own by now. What is not evaluated is no parameter.
  const storage = await openEvaluation(evaluator, scope, deploymentId)
  const evaluated: Record<string, Json> = {}
  for (const [name, value] of Object.entries(checked)) {
    evaluated[name] = isOpen(value) ? await evaluatePayload(evaluator, value, {}, storage) : value
  }
  return evaluated
}

const isOpen = (value: Json): boolean => holdsCall(value)

/** Defaults that name something are what that was when the execution was queued, if it was looked at then. */
const withDefaultsOf = (stored: Parameters, schema: PlanWorkflow['parameters']): PlanWorkflow['parameters'] =>
  Object.fromEntries(
    Object.entries(schema).map(([name, declared]) => {
      const value = Object.hasOwn(stored, name) ? stored[name] : undefined
      const isNamed = value !== undefined && holdsCall(declared.default ?? null)
      return [name, isNamed ? { ...declared, default: value } : declared]
    }),
  )

/** Nobody answers for what the workflow itself says. */
const withoutDefaults = (stored: Parameters, schema: PlanWorkflow['parameters']): Parameters =>
  Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => !isDeepStrictEqual(value, schema[name]?.default)),
  )
