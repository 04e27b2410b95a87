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
  type Visibility,
} from '@tutti/api'
import { type InputSchema, inputNameProblems } from '@tutti/dsl'
import {
  blueprintTable,
  type Database,
  deploymentTable,
  holdId,
  lockId,
  type Transaction,
} from '@tutti/storage'
import { type Actor, isHiddenFrom, tenantOf, tenantScope } from '../actor.ts'
import { requireBlueprint } from '../blueprints/index.ts'
import { deleteDeployment, linkAwaiting } from '../dependencies/index.ts'
import type { ExecutionEnd } from '../executions/index.ts'
import { insertExecutions, systemWorkflowRuns } from '../executions/index.ts'
import { checkMayBeGlobal, checkOnlyOne, creationOf } from '../owned.ts'
import { findMissingPlugin } from '../plugins/index.ts'
import { checkNotWider, requireSite } from '../sites/index.ts'
import {
  findInTheWay,
  insertDeployments,
  type PluginToInstall,
  readPlanForCreation,
} from './create-queries.ts'
import { isRestored, readWorkdir, restoreRecord } from './restore.ts'

type Body = RouteBody<'deployments.create'>

type Options = RouteQuery<'deployments.create'>

/** Creates a deployment; unless told not to wait, until its nodes are there. One that is restored is only recorded. */
export async function createDeployment(
  actor: Actor,
  id: string,
  body: Body,
  options: Options,
): Promise<void> {
  const { executionEnds, settings } = actor.services
  const executionId = await startCreation(actor, id, body, options)
  if (options.async_create || executionId === undefined) return
  checkCreated(id, await executionEnds.wait(tenantOf(actor).id, executionId, settings.waitMs))
}

/**
 * Checks what can be checked at once, in the order of docs/reference/deployments.md, "Creation", then writes the
 * deployment and the execution `create_deployment_environment` that makes its nodes. Returns that execution's id; none
 * where the deployment is restored.
 */
async function startCreation(
  actor: Actor,
  id: string,
  body: Body,
  options: Options,
): Promise<string | undefined> {
  checkIdentifier('deployment_id', id, 'any')
  const visibility = parseCreateVisibility(body)
  if (options.async_create) await untilUploaded(actor, body.blueprint_id)
  const displayName = body.display_name == null ? undefined : checkDisplayName(body.display_name)
  const deployment = {
    id,
    displayName,
    inputs: body.inputs ?? {},
    labels: body.labels ?? [],
    siteName: body.site_name ?? undefined,
  }
  const isOnlyRecorded = isRestored(body)
  const workdir = isOnlyRecorded ? await readWorkdir(actor, body) : undefined
  return actor.services.db.transaction().execute(async (transaction) => {
    const created = await creationOf(actor, transaction, body)
    await lockId(transaction, deploymentTable, id)
    const creation = {
      blueprintId: body.blueprint_id,
      visibility,
      skipsPluginsValidation: body.skip_plugins_validation ?? false,
      runtimeOnlyEvaluation: body.runtime_only_evaluation ?? false,
      createdBy: created.created_by,
      createdAt: created.created_at,
    }
    if (isOnlyRecorded) {
      const checked = await checkCreation(actor, transaction, creation, [deployment])
      await insert(actor, transaction, creation, checked, [deployment])
      await restoreRecord(actor, transaction, id, body, { workdir, createdBy: created.created_by })
      return undefined
    }
    const [executionId] = await createDeployments(actor, transaction, creation, [deployment])
    return executionId
  })
}

/** What is the same for all deployments that are created together. */
export type Creation = {
  readonly blueprintId: string
  readonly visibility: Visibility
  readonly skipsPluginsValidation?: boolean
  readonly runtimeOnlyEvaluation?: boolean
  readonly createdBy: string
  /** Now, unless it is said otherwise. */
  readonly createdAt?: Date | undefined
  /** The group, there already, that their executions are in: so many start at once. */
  readonly executionGroup?: { readonly id: string; readonly concurrency: number }
}

export type DeploymentToCreate = {
  readonly id: string
  readonly displayName: string | undefined
  readonly inputs: Readonly<Record<string, unknown>>
  /** As the request has them. */
  readonly labels: readonly unknown[]
  readonly siteName: string | undefined
}

/**
 * Writes deployments of one blueprint and the executions that make their nodes, by a few statements whatever their
 * number. That nobody makes one of the ids global meanwhile is for the caller to see to, by `lockId` or `holdGlobals`,
 * and so is the owner, by `creationOf` or `holdCaller`.
 */
export async function createDeployments(
  actor: Actor,
  transaction: Transaction,
  creation: Creation,
  deployments: readonly DeploymentToCreate[],
): Promise<readonly string[]> {
  const { visibility, executionGroup } = creation
  const tenant = tenantOf(actor)
  const checked = await checkCreation(actor, transaction, creation, deployments)
  const labels = deployments.map((deployment) => parseLabels(deployment.labels))
  for (const { inputs } of deployments) checkInputNames(checked.inputs, inputs)
  const created = deployments.map((deployment) => ({ ...deployment, executionId: randomUUID() }))
  await insert(actor, transaction, creation, checked, created)
  const atOnce = (await systemWorkflowRuns(transaction)) ? 0 : (executionGroup?.concurrency ?? created.length)
  await insertExecutions(
    transaction,
    actor.services.queue,
    created.map(({ id, displayName, inputs, executionId }, index) => ({
      tenantId: tenant.id,
      id: executionId,
      workflowId: 'create_deployment_environment',
      status: index < atOnce ? 'pending' : 'queued',
      deployment: { id, displayName: displayName ?? id, blueprintId: checked.blueprint.id },
      ...(executionGroup !== undefined && { executionGroupId: executionGroup.id }),
      parameters: {
        inputs,
        labels: labels[index],
        display_name: displayName ?? null,
      },
      visibility,
      createdBy: creation.createdBy,
    })),
  )
  return created.map(({ executionId }) => executionId)
}

type Checked = Awaited<ReturnType<typeof checkCreation>>

/** Whether deployments may be made of the blueprint, of these ids, at these sites; what stands in their way goes. */
async function checkCreation(
  actor: Actor,
  transaction: Transaction,
  creation: Creation,
  deployments: readonly DeploymentToCreate[],
) {
  const { visibility } = creation
  const tenant = tenantOf(actor)
  await holdId(transaction, blueprintTable, creation.blueprintId)
  const blueprint = await requireUploadedBlueprint(actor, transaction, creation.blueprintId)
  const sites = await requireSites(actor, transaction, deployments)
  for (const { labels } of deployments) parseLabels(labels)
  checkMayBeGlobal(actor, visibility)
  for (const { id, siteName } of deployments) {
    const site = siteName === undefined ? undefined : sites.get(siteName)
    if (site !== undefined) checkNotWider(id, visibility, site)
    if (visibility === 'global' && blueprint.visibility !== 'global') {
      throw new ApiError(
        'forbidden_error',
        `Can't create global deployment ${id} because blueprint ${blueprint.id} is not global`,
      )
    }
  }
  const plan = await readPlanForCreation(transaction, blueprint.tenant_id, blueprint.id)
  if (creation.skipsPluginsValidation !== true) {
    await checkPlugins(actor, transaction, [
      ...(plan?.deployment_plugins ?? []),
      ...(plan?.host_plugins ?? []),
    ])
  }
  await makeWay(
    actor,
    transaction,
    deployments.map(({ id }) => id),
  )
  for (const { id } of deployments) {
    const claimed = { tenant_id: tenant.id, tenant_name: tenant.name, id }
    await checkOnlyOne(transaction, deploymentTable, claimed, visibility)
  }
  return { blueprint, sites, inputs: plan?.inputs ?? {} }
}

/** Those without an execution are only recorded. */
async function insert(
  actor: Actor,
  transaction: Transaction,
  creation: Creation,
  { blueprint, sites }: Checked,
  deployments: readonly (DeploymentToCreate & { readonly executionId?: string })[],
): Promise<void> {
  const tenant = tenantOf(actor)
  await insertDeployments(
    transaction,
    deployments.map(({ id, displayName, siteName, executionId }) => ({
      tenantId: tenant.id,
      id,
      displayName: displayName ?? id,
      blueprintTenantId: blueprint.tenant_id,
      blueprintId: blueprint.id,
      visibility: creation.visibility,
      createdBy: creation.createdBy,
      createdAt: creation.createdAt,
      createExecutionId: executionId,
      runtimeOnlyEvaluation: creation.runtimeOnlyEvaluation ?? false,
      site: siteOf(siteName === undefined ? undefined : sites.get(siteName)),
    })),
  )
  await linkAwaiting(
    transaction,
    tenant.id,
    deployments.map(({ id }) => id),
  )
}

type Site = Awaited<ReturnType<typeof requireSite>>

async function requireSites(
  actor: Actor,
  transaction: Transaction,
  deployments: readonly DeploymentToCreate[],
): Promise<ReadonlyMap<string, Site>> {
  const names = new Set(deployments.flatMap(({ siteName }) => siteName ?? []))
  const sites = new Map<string, Site>()
  for (const name of names) {
    checkIdentifier('site_name', name)
    sites.set(name, await requireSite(actor, transaction, name))
  }
  return sites
}

const siteOf = (site: Site | undefined) => site && { tenantId: site.tenant_id, name: site.id }

/** Who does not wait for the creation may ask for it while the blueprint is still being uploaded. */
async function untilUploaded(actor: Actor, blueprintId: string): Promise<void> {
  const { db, executionEnds, settings } = actor.services
  const blueprint = await requireBlueprint(actor, db, blueprintId)
  if (isFinalBlueprintState(blueprint.state) || blueprint.upload_execution_id === null) return
  await executionEnds.wait(blueprint.tenant_id, blueprint.upload_execution_id, settings.waitMs)
}

async function requireUploadedBlueprint(actor: Actor, db: Database, id: string) {
  const blueprint = await requireBlueprint(actor, db, id)
  if (blueprint.state === 'uploaded') return blueprint
  throw new ApiError(
    'deployment_creation_error',
    `Unable to create a deployment based on a blueprint which is not \`uploaded\` but: \`${blueprint.state}\``,
  )
}

/**
 * A deployment whose creation failed and on which nothing else ever ran makes way for another try.
 *
 * @throws conflict_error for any other of these ids, of the tenant or global
 */
async function makeWay(actor: Actor, transaction: Transaction, ids: readonly string[]): Promise<void> {
  const tenant = tenantOf(actor)
  const existing = await findInTheWay(transaction, tenant.id, ids)
  const staying = existing.find((one) => !one.failedAtOnce || isHiddenFrom(actor, one))
  if (staying !== undefined) throw duplicate('Deployment', staying.id, tenant.name)
  for (const { id } of existing) await deleteDeployment(transaction, tenant.id, id)
}

/** What is to be installed must be there to be installed. @throws deployment_plugin_not_found */
async function checkPlugins(
  actor: Actor,
  transaction: Transaction,
  plugins: readonly PluginToInstall[],
): Promise<void> {
  const wanted = plugins.flatMap((plugin) => {
    const { install, package_name: packageName } = plugin
    return install && packageName !== null ? [{ ...plugin, package_name: packageName }] : []
  })
  const missing = await findMissingPlugin(transaction, tenantScope(actor), wanted)
  if (missing === undefined) return
  throw new ApiError(
    'deployment_plugin_not_found',
    `Required plugin ${missing.package_name}, version ${missing.package_version ?? 'any'} is not installed on the manager`,
    {
      hint: 'Upload it with `tutti plugins upload`; skip_plugins_validation=true creates the deployment all the same',
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
 * The answer to a creation that has not ended well, or not yet (docs/reference/deployments.md, "Creation"). Nothing
 * when its execution is gone: then so is the deployment.
 *
 * @throws deployment_creation_error and others of its kind
 */
function checkCreated(id: string, execution: ExecutionEnd | undefined): void {
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
function creationError(id: string, execution: ExecutionEnd): ApiError {
  const lines = execution.error.trimEnd().split('\n')
  const message = lines.at(-1) ?? ''
  if (message.includes("don't exist in this tenant"))
    return new ApiError('unknown_deployment_secret_error', message)
  return new ApiError(
    'deployment_creation_error',
    message === '' ? `The creation of deployment ${id} is ${execution.status}` : message,
  )
}
