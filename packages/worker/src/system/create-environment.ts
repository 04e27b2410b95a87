import { randomInt, randomUUID } from 'node:crypto'
import { checkDisplayName, type LabelPair, parseLabels } from '@tutti/api'
import { createDeploymentPlan, type DeploymentPlan, type Json, type Plan } from '@tutti/dsl'
import {
  addDependencies,
  insertEvents,
  type NewDependency,
  type NewEvent,
  removeDependencies,
  setDeploymentLabels,
  type Visibility,
} from '@tutti/storage'
import { eventContext } from '../executions/event-rows.ts'
import type { SystemWorkflow } from './index.ts'
import {
  clearNodes,
  insertNodeInstances,
  insertNodes,
  readDeployment,
  storeDeployment,
  takenInstanceIds,
} from './queries.ts'
import { beginSystemWorkflow, endSystemWorkflow } from './steps.ts'

type Parameters = {
  readonly inputs: Readonly<Record<string, Json>>
  readonly labels: readonly LabelPair[]
  readonly display_name: string | null
}

/** Makes a deployment's attributes, nodes and instances out of its blueprint's plan (spec/plan.md 7.7). */
export const createEnvironment: SystemWorkflow = async (services, execution, control) => {
  const tenantId = execution.tenant_id
  const deploymentId = execution.deployment_id ?? ''
  if (!(await beginSystemWorkflow(services, execution, control))) {
    return endSystemWorkflow(services, execution, control, {})
  }
  const deployment = await readDeployment(services.db, tenantId, deploymentId)
  if (deployment === undefined) throw new Error(`deployment ${deploymentId} is gone`)
  const parameters = execution.parameters as unknown as Parameters
  const fail = (error: string) => endSystemWorkflow(services, execution, control, { error })

  const outcome = createDeploymentPlan({
    plan: deployment.plan as Plan,
    inputs: parameters.inputs,
    runtimeOnlyEvaluation: deployment.runtime_only_evaluation,
    randomId,
    // Secrets come in a later release: a blueprint that needs one cannot be deployed yet.
    secretExists: () => false,
  })
  if (!outcome.ok) return fail(outcome.error.message)

  const plan = await withFreeIds(outcome.deploymentPlan, (ids) =>
    takenInstanceIds(services.db, tenantId, ids),
  )
  let settings: { readonly labels: readonly LabelPair[]; readonly displayName: string }
  try {
    settings = {
      labels: [...parameters.labels, ...planLabels(plan)],
      displayName: parameters.display_name ?? planDisplayName(plan) ?? deployment.display_name,
    }
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
  const owner = {
    tenantId,
    deploymentId,
    visibility: deployment.visibility,
    createdBy: deployment.created_by,
  }
  await endSystemWorkflow(services, execution, control, {
    async change(transaction) {
      await clearNodes(transaction, owner)
      await storeDeployment(transaction, owner, plan, settings.displayName)
      await insertNodes(transaction, owner, plan.nodes)
      await insertNodeInstances(transaction, owner, plan.node_instances)
      const source = { tenantId, id: deploymentId }
      await removeDependencies(transaction, source)
      await addDependencies(transaction, source, usedCapabilities(plan, deployment), deployment.created_by)
      await insertEvents(transaction, eventContext(execution), notBuilt(plan, services.now()))
      await setDeploymentLabels(transaction, source, settings.labels, deployment.created_by, 'add')
    },
  })
}

/** The deployments whose capabilities the plan uses (spec/plan.md 7.6). */
function usedCapabilities(
  plan: DeploymentPlan,
  { visibility, created_by }: { readonly visibility: Visibility; readonly created_by: string },
): readonly NewDependency[] {
  return plan.inter_deployment_functions.map(
    ({ function_identifier, target_deployment: [target, func], context }) => ({
      id: randomUUID(),
      creator: function_identifier,
      target,
      targetFunction: target === null ? { function: func, context } : null,
      externalSource: null,
      externalTarget: null,
      visibility,
      createdBy: created_by,
    }),
  )
}

const idCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789'

function randomId(): string {
  return Array.from({ length: 6 }, () => idCharacters[randomInt(idCharacters.length)]).join('')
}

/** @throws ApiError when a label of the blueprint breaks the rules of labels */
function planLabels(plan: DeploymentPlan): readonly LabelPair[] {
  return parseLabels(Object.entries(plan.labels).map(([key, { values }]) => ({ [key]: [...values] })))
}

function planDisplayName(plan: DeploymentPlan): string | undefined {
  const name = plan.deployment_settings.display_name
  return typeof name === 'string' && name !== '' ? checkDisplayName(name) : undefined
}

/**
 * Ids are unique in the tenant, not only in the deployment: the few that another deployment has already get a new
 * ending, wherever they are mentioned (spec/plan.md 7.7).
 */
async function withFreeIds(
  plan: DeploymentPlan,
  findTaken: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<DeploymentPlan> {
  let current = plan
  for (;;) {
    const taken = await findTaken(current.node_instances.map((instance) => instance.id))
    if (taken.length === 0) return current
    const renamed = new Map(taken.map((id) => [id, `${id.slice(0, id.lastIndexOf('_'))}_${randomId()}`]))
    const rename = (id: string) => renamed.get(id) ?? id
    current = {
      ...current,
      node_instances: current.node_instances.map((instance) => ({
        ...instance,
        id: rename(instance.id),
        ...(instance.host_id !== undefined && { host_id: rename(instance.host_id) }),
        relationships: instance.relationships.map((one) => ({ ...one, target_id: rename(one.target_id) })),
      })),
    }
  }
}

/** What the blueprint asks for and this release cannot give yet is said in the deployment's log. */
function notBuilt(plan: DeploymentPlan, nowMs: number): readonly NewEvent[] {
  return (['default_schedules', 'default_groups'] as const)
    .filter((setting) => Object.keys(plan.deployment_settings[setting] ?? {}).length > 0)
    .map((setting) => ({
      isLog: true,
      reportedAt: new Date(nowMs),
      level: 'warning',
      logger: 'tutti',
      message: `deployment_settings.${setting} of the blueprint is not applied: this release has not built it yet`,
    }))
}
