import { ApiError, notFound, type RouteBody, unavailableWorkflow } from '@tutti/api'
import { hasFunctionsInConstraints, type Json, type PlanWorkflow, whyUnavailable } from '@tutti/dsl'
import { findBuiltInWorkflow, whyNotRun } from '@tutti/engine'
import type { Transaction } from '@tutti/storage'
import { type Actor, inTransaction, isHiddenFrom, tenantOf, tenantScope } from '../actor.ts'
import {
  dependentLines,
  findDependents,
  publicDependentLines,
  workflowsThatStop,
} from '../dependencies/index.ts'
import {
  comparingEvaluator,
  type Evaluator,
  evaluatePayload,
  objectFinder,
  openEvaluation,
  startingEvaluator,
} from '../evaluation/index.ts'
import { creationOf } from '../owned.ts'
import { transactionWithSecrets } from '../secrets/index.ts'
import { readDeploymentStates } from './deployment-states-queries.ts'
import { insertExecution } from './insert-queries.ts'
import { checkParameters, declaredParameters } from './parameters.ts'
import { findRunning, lockDeployment, systemWorkflowRuns } from './queries.ts'
import { checkMayDescribe, idOf, restoreExecution } from './restore.ts'

type StartRequest = {
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
 * Starts, queues or refuses a workflow on a deployment, in the order of checks of docs/reference/executions.md,
 * "Start". Returns the new execution's id. One whose status is given as well is not started but restored. A check that
 * fails after the parameters leaves a failed execution behind, so that the attempt can be seen; only "another one is
 * running" leaves none.
 */
export async function startExecution(actor: Actor, body: RouteBody<'executions.start'>): Promise<string> {
  if (body.force_status != null && body.force_status !== '') {
    const { force_status: status } = body
    return inTransaction(actor, (within, transaction) => restoreExecution(within, transaction, body, status))
  }
  checkMayDescribe(actor, body)
  const start = startOf(body)
  const id = idOf(body)
  const failure = await transactionWithSecrets(actor, async (within, transaction) => {
    const { queue } = within.services
    const creation = await creationOf(actor, transaction, body)
    const deployment = await lockDeployment(transaction, tenantOf(actor).id, start.deploymentId)
    if (deployment === undefined || isHiddenFrom(actor, deployment)) {
      throw notFound('Deployment', start.deploymentId)
    }
    checkCreated(deployment)
    const workflow = findWorkflow(
      deployment.id,
      deployment.workflows as Named<PlanWorkflow>,
      start.workflowId,
    )
    const parameters = await finalParameters(within, deployment.id, workflow, start)
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
      createdBy: creation.created_by,
      createdAt: creation.created_at,
      ...(start.waitAfterFail !== undefined && { waitAfterFail: start.waitAfterFail }),
    }
    const refused = async ({ refusal, kept = refusal.message }: Refusal) => {
      const error = `Error preparing execution: ${kept}`
      await insertExecution(transaction, queue, { ...execution, status: 'failed', error })
      return refusal
    }
    const refusals = await findRefusals(actor, transaction, [{ ...deployment, workflow, parameters }], start)
    const refusal = refusals.get(deployment.id)
    if (refusal !== undefined) return refused(refusal)
    const status = await startOrQueue(transaction, deployment.tenant_id, start)
    // What waits meets another deployment than the present one: only what starts now must fit it.
    const why =
      status === 'queued' || start.force
        ? undefined
        : (
            await findUnavailability(transaction, deployment.tenant_id, [{ id: deployment.id, workflow }])
          ).get(deployment.id)
    if (why !== undefined) {
      return refused({ refusal: unavailableWorkflow(start.workflowId, deployment.id, why) })
    }
    await insertExecution(transaction, queue, { ...execution, status })
    return undefined
  })
  if (failure !== undefined) throw failure
  return id
}

/** @throws not_implemented */
function startOf(body: RouteBody<'executions.start'>): StartRequest {
  if (body.scheduled_time != null || body.schedule != null) {
    throw new ApiError('not_implemented', 'Starting an execution at a later time is not built yet', {
      hint: 'Leave out scheduled_time; pass queue=true to run it after what runs now',
    })
  }
  return {
    deploymentId: body.deployment_id,
    workflowId: body.workflow_id,
    parameters: body.parameters ?? {},
    allowCustomParameters: body.allow_custom_parameters ?? false,
    force: body.force ?? false,
    dryRun: body.dry_run ?? false,
    queue: body.queue ?? false,
    waitAfterFail: body.wait_after_fail ?? undefined,
  }
}

type Named<T> = Readonly<Record<string, T>>

/** Whether workflows may run on it. @throws deployment_creation_error and others of its kind */
export function checkCreated(deployment: {
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

/** @throws not_implemented */
export function checkBuilt(workflow: string): void {
  if (!notBuiltWorkflows.has(workflow)) return
  throw new ApiError(
    'not_implemented',
    `Workflow ${workflow} is documented, but this release of Tutti has not built it yet`,
  )
}

/** @throws not_implemented when the workflow is mapped to what cannot be run; forcing it is of no use */
export function checkBuiltIn(name: string, workflow: PlanWorkflow): void {
  const why = whyNotRun(name, workflow)
  if (why !== undefined) throw new ApiError('not_implemented', `Workflow ${name} cannot be run: ${why}`)
}

function findWorkflow(deploymentId: string, workflows: Named<PlanWorkflow>, name: string): PlanWorkflow {
  const workflow = Object.hasOwn(workflows, name) ? workflows[name] : undefined
  if (workflow !== undefined) {
    checkBuiltIn(name, workflow)
    return workflow
  }
  checkBuilt(name)
  throw new ApiError(
    'nonexistent_workflow_error',
    `Workflow ${name} does not exist in deployment ${deploymentId}`,
    {
      hint: `Its workflows are: ${Object.keys(workflows).join(', ')}`,
    },
  )
}

type GivenParameters = Pick<StartRequest, 'workflowId' | 'parameters' | 'allowCustomParameters'> & {
  /** What is in the deployment is not known yet: the worker that starts the execution looks at it. */
  readonly isBeingCreated?: boolean
}

function withoutOpenConstraints(schemas: PlanWorkflow['parameters']): PlanWorkflow['parameters'] {
  const entries = Object.entries(schemas).map(([name, schema]) => {
    const { constraints: _, ...rest } = schema
    return [name, hasFunctionsInConstraints({ [name]: schema }) ? rest : schema] as const
  })
  return Object.fromEntries(entries)
}

type Find = ReturnType<typeof objectFinder>

/** Takes it that the deployment will have what is said to be in it. */
const assumingOwnObjects =
  (find: Find, deploymentId: string): Find =>
  async (queries) => {
    const outside = queries.filter((query) => query.deploymentId !== deploymentId)
    const found = outside.length === 0 ? [] : await find(outside)
    return queries.map((query) => found[outside.indexOf(query)] ?? true)
  }

async function checkGiven(
  actor: Actor,
  evaluator: Evaluator,
  deploymentId: string,
  workflow: PlanWorkflow,
  { isBeingCreated, ...given }: GivenParameters,
) {
  const scope = tenantScope(actor)
  const comparer = comparingEvaluator(actor, evaluator)
  const all = { ...given, deploymentId }
  if (!isBeingCreated) {
    return checkParameters(
      comparer,
      scope,
      all,
      await declaredParameters(comparer, scope, deploymentId, workflow),
    )
  }
  const find = assumingOwnObjects(objectFinder(comparer, scope), deploymentId)
  return checkParameters(comparer, scope, all, withoutOpenConstraints(workflow.parameters), find)
}

/**
 * The parameters that the workflow runs with on the deployment. Functions in lists and dicts are evaluated when it is
 * run (docs/reference/executions.md, "Start"); plain values, which most parameters are, cost nothing.
 *
 * @throws illegal_execution_parameters_error, functions_evaluation_error
 */
export async function finalParameters(
  actor: Actor,
  deploymentId: string,
  workflow: PlanWorkflow,
  given: GivenParameters,
  evaluator = startingEvaluator(actor),
): Promise<Named<Json>> {
  const parameters = await checkGiven(actor, evaluator, deploymentId, workflow, given)
  // Workers have no key of secrets: what takes one is never left to them.
  const isToEvaluate = given.isBeingCreated
    ? (value: Json) => JSON.stringify(value).includes('"get_secret"')
    : (value: Json) => typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!Object.values(parameters).some(isToEvaluate)) return parameters
  const storage = await openEvaluation(evaluator, tenantScope(actor), deploymentId)
  const evaluated = await Promise.all(
    Object.entries(parameters).map(
      async ([name, value]) =>
        [name, isToEvaluate(value) ? await evaluatePayload(evaluator, value, {}, storage) : value] as const,
    ),
  )
  return Object.fromEntries(evaluated)
}

/** @throws existing_running_execution_error when another one runs and this one may neither pass nor wait */
async function startOrQueue(transaction: Transaction, tenantId: number, start: StartRequest) {
  if (await systemWorkflowRuns(transaction)) return 'queued'
  if (start.force) return 'pending'
  const running = (await findRunning(transaction, tenantId, [start.deploymentId])).get(start.deploymentId)
  if (running === undefined) return 'pending'
  if (start.queue) return 'queued'
  throw new ApiError(
    'existing_running_execution_error',
    `The following executions are currently running for this deployment: ${running.id} ` +
      `(${running.workflow_id}, ${running.status}). To execute this workflow anyway, pass "force=true" ` +
      'as a query parameter to this request',
    { hint: 'Pass queue=true to run it afterwards' },
  )
}

type Refused = {
  readonly tenant_id: number
  readonly id: string
  readonly workflow: PlanWorkflow
  readonly parameters: Named<Json>
}

export type Refusal = {
  readonly refusal: ApiError
  /** What the failed execution says, where more people may read it than the one who is refused. */
  readonly kept?: string
}

/** Why the workflow may not run on some of these deployments of one tenant, by deployment id. */
export async function findRefusals(
  actor: Actor,
  transaction: Transaction,
  deployments: readonly Refused[],
  { workflowId, force }: Pick<StartRequest, 'workflowId' | 'force'>,
): Promise<ReadonlyMap<string, Refusal>> {
  const [first] = deployments
  if (first === undefined) return new Map()
  if (first.tenant_id !== tenantOf(actor).id && !actor.rights.holds('execute_global_workflow')) {
    return new Map(deployments.map(({ id }) => [id, { refusal: foreign(actor, id) }]))
  }
  if (force) return new Map()
  const refusals = new Map<string, Refusal>()
  for (const [by, stopped] of Map.groupBy(deployments, ({ workflow }) => stopsAs(workflowId, workflow))) {
    if (by === undefined) continue
    const found = await refuseUsed(actor, transaction, stopped, { workflowId, by })
    for (const [id, refusal] of found) refusals.set(id, refusal)
  }
  return refusals
}

/** What stops a deployment does so under any name: by its own, or by that of the built-in one it is mapped to. */
function stopsAs(workflowId: string, workflow: PlanWorkflow): string | undefined {
  if (workflowsThatStop.has(workflowId)) return workflowId
  const mapped = findBuiltInWorkflow(workflow)?.name
  return mapped !== undefined && workflowsThatStop.has(mapped) ? mapped : undefined
}

/** Of deployments that others depend on, why they may not be stopped. */
async function refuseUsed(
  actor: Actor,
  transaction: Transaction,
  deployments: readonly Refused[],
  { workflowId, by }: { readonly workflowId: string; readonly by: string },
): Promise<readonly (readonly [string, Refusal])[]> {
  const tenantId = deployments[0]?.tenant_id ?? tenantOf(actor).id
  const takesChildren = new Set(
    deployments
      .filter(({ parameters }) => by === 'uninstall' && parameters.recursive === true)
      .map(({ id }) => id),
  )
  const found = await findDependents(
    transaction,
    tenantId,
    deployments.map(({ id }) => id),
    { by, recursive: takesChildren.size === deployments.length, scope: tenantScope(actor) },
  )
  const keeping = found.filter(
    ({ target, creator }) => !(creator === 'csys-obj-parent' && takesChildren.has(target)),
  )
  return [...Map.groupBy(keeping, ({ target }) => target)].map(([id, dependents]) => {
    const why =
      `Can't execute workflow \`${workflowId}\` on deployment ${id} - the following existing ` +
      'installations depend on it:\n'
    const refusal = {
      refusal: new ApiError('dependent_exists_error', why + dependentLines(dependents)),
      kept: why + publicDependentLines(dependents),
    }
    return [id, refusal] as const
  })
}

const foreign = (actor: Actor, id: string) =>
  new ApiError(
    'forbidden_error',
    `User \`${actor.caller.username}\` is not allowed to execute workflows on a global deployment ` +
      `${id} from a different tenant`,
  )

/** Why the workflow is not available on some of these deployments now, by deployment id. */
export async function findUnavailability(
  transaction: Transaction,
  tenantId: number,
  deployments: readonly { readonly id: string; readonly workflow: PlanWorkflow }[],
): Promise<ReadonlyMap<string, string>> {
  const ruled = deployments.filter(({ workflow }) => workflow.availability_rules !== null)
  if (ruled.length === 0) return new Map()
  const ids = ruled.map(({ id }) => id)
  const states = await readDeploymentStates(transaction, tenantId, ids)
  return new Map(
    ruled.flatMap(({ id, workflow }) => {
      const state = states.get(id)
      const why = state && whyUnavailable(workflow.availability_rules, state)
      return why === undefined ? [] : [[id, why] as const]
    }),
  )
}
