import { randomUUID } from 'node:crypto'
import { ApiError, notFound } from '@tutti/api'
import {
  convertAndCheckParameters,
  hasFunctionsInConstraints,
  type Json,
  type PlanWorkflow,
  withObjects,
} from '@tutti/dsl'
import {
  type Database,
  dependentLines,
  findDependents,
  insertExecution,
  workflowsThatStop,
} from '@tutti/storage'
import { isHiddenFrom, type Request, tenantOf, tenantScope } from '../../request.ts'
import { evaluateConstraints, evaluatePayload, objectFinder, openEvaluation } from '../evaluation/index.ts'
import { unavailable, whyUnavailable } from './availability.ts'
import { findRunning, lockDeployment, readDeploymentState } from './queries.ts'

export type StartRequest = {
  readonly deploymentId: string
  readonly workflowId: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly allowCustomParameters: boolean
  readonly force: boolean
  readonly dryRun: boolean
  readonly queue: boolean
  readonly waitAfterFail: number | undefined
}

/** Workflows of the manager itself that a later release builds; they exist on every deployment. */
const notBuiltWorkflows = new Set(['update', 'csys_update_deployment'])

/**
 * Starts, queues or refuses a workflow on a deployment, in the order of checks of spec/workflows.md 1.2. Returns
 * the new execution's id. A check that fails after the parameters leaves a failed execution behind, so that the
 * attempt can be seen; only "another one is running" leaves none.
 */
export async function startExecution(request: Request, start: StartRequest): Promise<string> {
  const { db, queue } = request.services
  const id = randomUUID()
  const failure = await db.transaction().execute(async (transaction) => {
    const deployment = await lockDeployment(transaction, tenantOf(request).id, start.deploymentId)
    if (deployment === undefined || isHiddenFrom(request, deployment)) {
      throw notFound('Deployment', start.deploymentId)
    }
    checkCreated(deployment)
    const workflow = findWorkflow(
      deployment.id,
      deployment.workflows as Named<PlanWorkflow>,
      start.workflowId,
    )
    const within = { ...request, services: { ...request.services, db: transaction } }
    const parameters = await withoutFunctions(
      within,
      deployment.id,
      await checkParameters(within, start, deployment.id, workflow),
    )
    const execution = {
      tenantId: deployment.tenant_id,
      id,
      workflowId: start.workflowId,
      deployment: {
        id: deployment.id,
        displayName: deployment.display_name,
        blueprintId: deployment.blueprint_id,
      },
      parameters,
      isDryRun: start.dryRun,
      allowCustomParameters: start.allowCustomParameters,
      force: start.force,
      visibility: deployment.visibility,
      createdBy: request.caller.username,
      ...(start.waitAfterFail !== undefined && { waitAfterFail: start.waitAfterFail }),
    }
    const refused = async (refusal: ApiError) => {
      const error = `Error preparing execution: ${refusal.message}`
      await insertExecution(transaction, queue, { ...execution, status: 'failed', error })
      return refusal
    }
    const refusal = await findRefusal(transaction, request, deployment, start, parameters)
    if (refusal !== undefined) return refused(refusal)
    const status = await startOrQueue(transaction, deployment.tenant_id, start)
    // What waits meets another deployment than the present one: only what starts now must fit it.
    const why =
      status === 'queued' || start.force
        ? undefined
        : await findUnavailability(transaction, deployment, workflow)
    if (why !== undefined) return refused(unavailable(start.workflowId, deployment.id, why))
    await insertExecution(transaction, queue, { ...execution, status })
    return undefined
  })
  if (failure !== undefined) throw failure
  return id
}

type Named<T> = Readonly<Record<string, T>>

function checkCreated(deployment: {
  readonly id: string
  readonly creation_status: string | null
  readonly creation_error: string | null
}): void {
  switch (deployment.creation_status) {
    case 'pending':
    case 'queued':
      throw new ApiError(
        'deployment_environment_creation_pending_error',
        `Deployment environment creation is still pending, try again in a minute (deployment ${deployment.id})`,
      )
    case 'started':
    case 'cancelling':
    case 'force_cancelling':
    case 'kill_cancelling':
      throw new ApiError(
        'deployment_environment_creation_in_progress_error',
        `Deployment environment creation is still in progress, try again in a minute (deployment ${deployment.id})`,
      )
    case 'failed':
    case 'cancelled':
      throw new ApiError(
        'deployment_creation_error',
        `Can't launch executions since environment creation for ${deployment.id} deployment has ` +
          `${deployment.creation_status}: ${deployment.creation_error ?? ''}`,
        { hint: 'Delete the deployment and create it again' },
      )
  }
}

function findWorkflow(deploymentId: string, workflows: Named<PlanWorkflow>, name: string): PlanWorkflow {
  const workflow = Object.hasOwn(workflows, name) ? workflows[name] : undefined
  if (workflow !== undefined) return workflow
  if (notBuiltWorkflows.has(name)) {
    throw new ApiError(
      'not_implemented',
      `Workflow ${name} is documented, but this release of Tutti has not built it yet`,
    )
  }
  throw new ApiError(
    'nonexistent_workflow_error',
    `Workflow ${name} does not exist in deployment ${deploymentId}`,
    {
      hint: `Its workflows are: ${Object.keys(workflows).join(', ')}`,
    },
  )
}

async function checkParameters(
  request: Request,
  start: StartRequest,
  deploymentId: string,
  workflow: PlanWorkflow,
) {
  const scope = tenantScope(request)
  const schema = hasFunctionsInConstraints(workflow.parameters)
    ? await evaluateConstraints(
        workflow.parameters,
        await openEvaluation(request.services, scope, deploymentId),
      )
    : workflow.parameters
  const outcome = await withObjects(objectFinder(request.services, scope), (objects) =>
    convertAndCheckParameters({
      workflow: start.workflowId,
      schema,
      given: start.parameters as Named<Json>,
      allowCustomParameters: start.allowCustomParameters,
      deploymentId,
      objects,
    }),
  )
  if (outcome.ok) return outcome.parameters
  throw new ApiError('illegal_execution_parameters_error', outcome.problems.join('\n'))
}

/**
 * Functions in lists and dicts are evaluated when the workflow is run (spec/workflows.md 1.2); plain values, which
 * most parameters are, cost nothing.
 */
async function withoutFunctions(
  request: Request,
  deploymentId: string,
  parameters: Named<Json>,
): Promise<Named<Json>> {
  const mayHoldFunctions = (value: Json) =>
    typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!Object.values(parameters).some(mayHoldFunctions)) return parameters
  const storage = await openEvaluation(request.services, tenantScope(request), deploymentId)
  const evaluated = await Promise.all(
    Object.entries(parameters).map(
      async ([name, value]) => [name, await evaluatePayload(value, {}, storage)] as const,
    ),
  )
  return Object.fromEntries(evaluated)
}

/** @throws existing_running_execution_error when another one runs and this one may neither pass nor wait */
async function startOrQueue(transaction: Database, tenantId: number, start: StartRequest) {
  const running = await findRunning(transaction, tenantId, start.deploymentId)
  if (running.system !== undefined) return 'queued'
  if (start.force || running.same === undefined) return 'pending'
  if (start.queue) return 'queued'
  throw new ApiError(
    'existing_running_execution_error',
    `The following executions are currently running for this deployment: ${running.same.id} ` +
      `(${running.same.workflow_id}, ${running.same.status}). To execute this workflow anyway, pass "force=true" ` +
      'as a query parameter to this request',
    { hint: 'Pass queue=true to run it afterwards' },
  )
}

async function findRefusal(
  transaction: Database,
  request: Request,
  deployment: { readonly tenant_id: number; readonly id: string },
  start: StartRequest,
  parameters: Named<Json>,
): Promise<ApiError | undefined> {
  const isForeign = deployment.tenant_id !== tenantOf(request).id
  if (isForeign && !request.rights.holds('execute_global_workflow')) {
    return new ApiError(
      'forbidden_error',
      `User \`${request.caller.username}\` is not allowed to execute workflows on a global deployment ` +
        `${deployment.id} from a different tenant`,
    )
  }
  if (start.force) return undefined
  if (workflowsThatStop.has(start.workflowId)) {
    const recursive = start.workflowId === 'uninstall' && parameters.recursive === true
    const dependents = await findDependents(transaction, deployment.tenant_id, deployment.id, {
      by: start.workflowId,
      recursive,
    })
    if (dependents.length > 0) {
      return new ApiError(
        'dependent_exists_error',
        `Can't execute workflow \`${start.workflowId}\` on deployment ${deployment.id} - the following existing ` +
          `installations depend on it:\n${dependentLines(dependents)}`,
      )
    }
  }
  return undefined
}

async function findUnavailability(
  transaction: Database,
  deployment: { readonly tenant_id: number; readonly id: string },
  { availability_rules: rules }: PlanWorkflow,
): Promise<string | undefined> {
  if (rules === null) return undefined
  return whyUnavailable(rules, await readDeploymentState(transaction, deployment.tenant_id, deployment.id))
}
