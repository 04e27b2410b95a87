import { randomUUID } from 'node:crypto'
import {
  ApiError,
  checkDisplayName,
  checkIdentifier,
  duplicate,
  isFinalBlueprintState,
  parseCreateVisibility,
  parseLabels,
  type RouteBody,
  type RouteQuery,
} from '@tutti/api'
import { type InputSchema, inputNameProblems } from '@tutti/dsl'
import {
  blueprintTable,
  type Database,
  deleteDeployment,
  deploymentTable,
  holdId,
  insertExecution,
  lockId,
} from '@tutti/storage'
import { checkMayBeGlobal, checkOnlyOne } from '../../owned.ts'
import { type Request, type Tenant, tenantOf } from '../../request.ts'
import { requireBlueprint } from '../blueprints/index.ts'
import { checkNotWider, requireSite } from '../sites/index.ts'
import {
  findDeployment,
  insertDeployment,
  onlyCreationRan,
  type PluginToInstall,
  readPlanForCreation,
  systemWorkflowRuns,
} from './queries.ts'

type Body = RouteBody<'deployments.create'>

/**
 * Checks what can be checked at once, in the order of spec/rest-facts-a.md 8, then writes the deployment and the
 * execution `create_deployment_environment` that makes its nodes. Returns that execution's id.
 */
export async function createDeployment(
  request: Request,
  id: string,
  body: Body,
  options: RouteQuery<'deployments.create'>,
): Promise<string> {
  checkIdentifier('deployment_id', id, 'any')
  const visibility = parseCreateVisibility(body.visibility, body.private_resource ?? options.private_resource)
  if (options.async_create) await untilUploaded(request, body.blueprint_id)
  const displayName = body.display_name == null ? undefined : checkDisplayName(body.display_name)
  const tenant = tenantOf(request)
  const { db, queue } = request.services
  const executionId = randomUUID()

  await db.transaction().execute(async (transaction) => {
    await lockId(transaction, deploymentTable, id)
    await holdId(transaction, blueprintTable, body.blueprint_id)
    const blueprint = await requireUploadedBlueprint(transaction, request, body.blueprint_id)
    const site = body.site_name == null ? undefined : await requireSite(request, transaction, body.site_name)
    const labels = body.labels === undefined ? [] : parseLabels(body.labels)
    checkMayBeGlobal(request, visibility)
    if (site !== undefined) checkNotWider(id, visibility, site)
    if (visibility === 'global' && blueprint.visibility !== 'global') {
      throw new ApiError(
        'forbidden_error',
        `Can't create global deployment ${id} because blueprint ${blueprint.id} is not global`,
      )
    }
    const plan = await readPlanForCreation(transaction, blueprint.tenant_id, blueprint.id)
    if (!body.skip_plugins_validation) {
      checkPlugins([...(plan?.deployment_plugins ?? []), ...(plan?.host_plugins ?? [])])
    }
    await makeWay(transaction, tenant, id)
    const claimed = { tenant_id: tenant.id, tenant_name: tenant.name, id }
    await checkOnlyOne(transaction, deploymentTable, claimed, visibility)
    checkInputNames(plan?.inputs ?? {}, body.inputs ?? {})
    await insertDeployment(transaction, {
      tenantId: tenant.id,
      id,
      displayName: displayName ?? id,
      blueprintTenantId: blueprint.tenant_id,
      blueprintId: blueprint.id,
      visibility,
      createdBy: request.caller.username,
      createExecutionId: executionId,
      runtimeOnlyEvaluation: body.runtime_only_evaluation ?? false,
      site: site && { tenantId: site.tenant_id, name: site.id },
    })
    await insertExecution(transaction, queue, {
      tenantId: tenant.id,
      id: executionId,
      workflowId: 'create_deployment_environment',
      status: (await systemWorkflowRuns(transaction)) ? 'queued' : 'pending',
      deployment: { id, displayName: displayName ?? id, blueprintId: blueprint.id },
      parameters: {
        inputs: body.inputs ?? {},
        labels: labels.map(({ key, value }) => ({ key, value })),
        display_name: displayName ?? null,
      },
      visibility,
      createdBy: request.caller.username,
    })
  })
  return executionId
}

/** Who does not wait for the creation may ask for it while the blueprint is still being uploaded. */
async function untilUploaded(request: Request, blueprintId: string): Promise<void> {
  const { db, ends, settings } = request.services
  const blueprint = await requireBlueprint(db, request, blueprintId)
  if (isFinalBlueprintState(blueprint.state) || blueprint.upload_execution_id === null) return
  await ends.wait(blueprint.tenant_id, blueprint.upload_execution_id, settings.waitMs)
}

async function requireUploadedBlueprint(db: Database, request: Request, id: string) {
  const blueprint = await requireBlueprint(db, request, id)
  if (blueprint.state === 'uploaded') return blueprint
  throw new ApiError(
    'deployment_creation_error',
    `Unable to create a deployment based on a blueprint which is not \`uploaded\` but: \`${blueprint.state}\``,
  )
}

/**
 * A deployment whose creation failed and on which nothing else ever ran makes way for another try.
 *
 * @throws conflict_error for any other of that id
 */
async function makeWay(transaction: Database, tenant: Tenant, id: string): Promise<void> {
  const existing = await findDeployment(transaction, tenant.id, id)
  if (existing === undefined) return
  const isFailed = existing.tenant_id === tenant.id && existing.creation_status === 'failed'
  if (isFailed && (await onlyCreationRan(transaction, tenant.id, id))) {
    await deleteDeployment(transaction, tenant.id, id)
    // A global one of another tenant may have been behind it.
    await makeWay(transaction, tenant, id)
  } else throw duplicate('Deployment', id, tenant.name)
}

/** Uploaded plugins come later, so one that must be installed is never there. */
function checkPlugins(plugins: readonly PluginToInstall[]): void {
  const missing = plugins.find((plugin) => plugin.install && plugin.package_name !== null)
  if (missing === undefined) return
  throw new ApiError(
    'deployment_plugin_not_found',
    `Required plugin ${missing.package_name}, version ${missing.package_version ?? 'any'} is not installed on the manager`,
    {
      hint: 'Plugins cannot be uploaded yet; pass skip_plugins_validation=true to create the deployment all the same',
    },
  )
}

function checkInputNames(
  declared: Readonly<Record<string, InputSchema>>,
  given: Readonly<Record<string, unknown>>,
): void {
  const { missing, unknown } = inputNameProblems(declared, given)
  if (missing.length > 0) {
    throw new ApiError(
      'missing_required_deployment_input_error',
      `Cannot create deployment - missing inputs: ${missing.join(', ')}`,
    )
  }
  if (unknown.length > 0) {
    throw new ApiError(
      'unknown_deployment_input_error',
      `Cannot create deployment - unknown inputs: ${unknown.join(', ')}`,
      { hint: `The blueprint's inputs are: ${Object.keys(declared).join(', ') || 'none'}` },
    )
  }
}

/**
 * The answer to a creation that has not ended well, or not yet (spec/rest-facts-a.md 2 and 20). Nothing when its
 * execution is gone: then so is the deployment.
 *
 * @throws deployment_creation_error and others of its kind
 */
export function checkCreated(
  id: string,
  execution: { readonly status: string; readonly error: string } | undefined,
): void {
  switch (execution?.status) {
    case undefined:
    case 'terminated':
      return
    case 'failed':
    case 'cancelled':
      throw creationError(id, execution)
    case 'pending':
    case 'queued':
      throw new ApiError(
        'deployment_environment_creation_pending_error',
        `The creation of deployment ${id} still waits to start`,
        { hint: 'It goes on: look at the deployment again in a minute' },
      )
    default:
      throw new ApiError(
        'deployment_environment_creation_in_progress_error',
        `The creation of deployment ${id} is still in progress`,
        { hint: 'It goes on: look at the deployment again in a minute' },
      )
  }
}

/** Some failures have codes of their own, which clients handle. */
function creationError(id: string, execution: { readonly status: string; readonly error: string }): ApiError {
  const lines = execution.error.trimEnd().split('\n')
  const message = lines.at(-1) ?? ''
  if (message.includes("don't exist in this tenant"))
    return new ApiError('unknown_deployment_secret_error', message)
  return new ApiError(
    'deployment_creation_error',
    message === '' ? `The creation of deployment ${id} is ${execution.status}` : message,
  )
}
