import { randomUUID } from 'node:crypto'
import { ApiError, notFound, type RouteBody } from '@tutti/api'
import { updateWorkflowName } from '@tutti/engine'
import { blueprintTable, deploymentTable, holdId, type Transaction, toJson } from '@tutti/storage'
import { type Actor, inTransaction, tenantOf } from '../actor.ts'
import { requireBlueprint } from '../blueprints/index.ts'
import { dependentLines } from '../dependencies/index.ts'
import { checkCreated, insertExecution, lockDeployment } from '../executions/index.ts'
import { holdCaller, lockOwned } from '../owned.ts'
import { recursiveDependencies } from './dependents.ts'
import { deleteOldUpdates, insertUpdate, readForInitiate } from './queries.ts'

export type InitiateBody = RouteBody<'deploymentUpdates.initiate'>

/** What is asked for beside blueprint and inputs; stored with the update, and what its execution shows. */
export type UpdateOptions = ReturnType<typeof optionsOf>

/**
 * Starts the update of a deployment; of a preview, waits until it is there (docs/reference/deployment-updates.md).
 * Returns the update's id. Nothing else that runs on the deployment is in its way.
 *
 * @throws dependent_exists_error, which leaves a failed update behind; not_implemented; not_found_error and what
 * `checkCreated` throws
 */
export async function initiateUpdate(
  actor: Actor,
  deploymentId: string,
  body: InitiateBody,
): Promise<string> {
  if (body.workflow_id != null && body.workflow_id !== '') {
    throw new ApiError('not_implemented', 'Updates by another workflow (workflow_id) are not built yet')
  }
  const started = await inTransaction(actor, (within, transaction) =>
    startUpdate(within, transaction, deploymentId, body),
  )
  if (started.refusal !== undefined) throw started.refusal
  if (body.preview === true) {
    const { executionEnds, settings } = actor.services
    await executionEnds.wait(tenantOf(actor).id, started.executionId, settings.waitMs)
  }
  return started.id
}

type Started = { readonly id: string; readonly executionId: string; readonly refusal?: ApiError }

async function startUpdate(
  actor: Actor,
  transaction: Transaction,
  deploymentId: string,
  body: InitiateBody,
): Promise<Started> {
  await holdCaller(actor, transaction)
  const { tenant_id: tenantId, visibility } = await lockOwned(
    actor,
    transaction,
    deploymentTable,
    deploymentId,
  )
  const deployment = await lockDeployment(transaction, tenantId, deploymentId)
  if (deployment === undefined) throw notFound('Deployment', deploymentId)
  checkCreated(deployment)
  const present = await readForInitiate(transaction, tenantId, deploymentId)
  const blueprint = await newBlueprint(actor, transaction, present, body)
  const { direct, all } = await recursiveDependencies(actor, transaction, deploymentId)
  const options = optionsOf(body)
  const isPreview = body.preview ?? false
  const refusal =
    isPreview || options.force || direct.length === 0 ? undefined : refused(deploymentId, direct)
  const id = `${deploymentId}-${randomUUID()}`
  const executionId = randomUUID()
  const createdBy = actor.caller.username
  await deleteOldUpdates(transaction, tenantId, deploymentId)
  await insertUpdate(transaction, {
    tenant_id: tenantId,
    id,
    deployment_id: deploymentId,
    state: refusal === undefined ? 'updating' : 'failed',
    preview: isPreview,
    old_blueprint_id: present.blueprint_id,
    new_blueprint_id: blueprint.id,
    new_blueprint_tenant_id: blueprint.tenantId,
    old_inputs: toJson(present.inputs),
    new_inputs: toJson({ ...(present.inputs as object), ...body.inputs }),
    runtime_only_evaluation: body.runtime_only_evaluation ?? present.runtime_only_evaluation,
    options: toJson(options),
    recursive_dependencies: toJson(all),
    execution_id: refusal === undefined ? executionId : null,
    created_by: createdBy,
  })
  if (refusal !== undefined) return { id, executionId, refusal }
  await insertExecution(transaction, actor.services.queue, {
    tenantId,
    id: executionId,
    workflowId: updateWorkflowName,
    status: 'pending',
    deployment: {
      id: deploymentId,
      displayName: deployment.display_name,
      blueprintId: deployment.blueprint_id,
    },
    parameters: { update_id: id, preview: isPreview, ...options },
    force: options.force,
    visibility,
    createdBy,
  })
  return { id, executionId }
}

/** @throws not_found_error, conflict_error */
async function newBlueprint(
  actor: Actor,
  transaction: Transaction,
  present: Awaited<ReturnType<typeof readForInitiate>>,
  { blueprint_id: wanted }: InitiateBody,
) {
  const { blueprint_id: id, blueprint_tenant_id: tenantId } = present
  // The deployment's own may be somebody's private one by now.
  if (wanted == null || wanted === id) return { id, tenantId }
  await holdId(transaction, blueprintTable, wanted)
  const blueprint = await requireBlueprint(actor, transaction, wanted)
  if (blueprint.state === 'uploaded') return { id: blueprint.id, tenantId: blueprint.tenant_id }
  throw new ApiError(
    'conflict_error',
    `Unable to update a deployment to a blueprint which is not \`uploaded\` but: \`${blueprint.state}\``,
  )
}

const optionsOf = (body: InitiateBody) => ({
  skip_install: body.skip_install ?? false,
  skip_uninstall: body.skip_uninstall ?? false,
  skip_reinstall: body.skip_reinstall ?? false,
  skip_drift_check: body.skip_drift_check ?? false,
  skip_heal: body.skip_heal ?? false,
  force_reinstall: body.force_reinstall ?? false,
  ignore_failure: body.ignore_failure ?? false,
  install_first: body.install_first ?? false,
  update_plugins: body.update_plugins ?? true,
  auto_correct_types: body.auto_correct_types ?? false,
  reevaluate_active_statuses: body.reevaluate_active_statuses ?? false,
  force: body.force ?? false,
  reinstall_list: body.reinstall_list ?? [],
})

function refused(deploymentId: string, direct: Parameters<typeof dependentLines>[0]): ApiError {
  return new ApiError(
    'dependent_exists_error',
    `Can't update deployment ${deploymentId} - the following existing installations depend on it:\n${dependentLines(direct)}`,
    { hint: 'Pass force=true to update it all the same' },
  )
}
