import { randomUUID } from 'node:crypto'
import { ApiError, checkDisplayName, checkIdentifier, type LabelPair, parseLabels } from '@tutti/api'
import {
  addDependencies,
  type NewDependency,
  removeDependencies,
  setDeploymentLabels,
} from '@tutti/domain/dependencies'
import { joinGroups } from '@tutti/domain/group-members'
import { insertPlannedInstances, randomId } from '@tutti/domain/node-instances'
import { insertNodes } from '@tutti/domain/nodes'
import { DslError, type Json, type JsonObject } from '@tutti/dsl'
import { executionEvents, insertEvents, type NewEvent, publicReason, type Visibility } from '@tutti/storage'
import {
  type Environment,
  type EnvironmentAnswers,
  type EnvironmentToPlan,
  type PlannedEnvironment,
  planEnvironment,
} from '../planning/environment.ts'
import { smallPlan, smallText } from '../planning/small-plan.ts'
import { runInThread, TaskAborted } from '../planning/thread.ts'
import type { WorkerServices } from '../services.ts'
import { environmentAnswers } from './environment-answers.ts'
import { lackingCapabilities } from './parent-capabilities.ts'
import { clearNodes, readDeployment, storeDeployment } from './queries.ts'
import { beginSystemWorkflow, endSystemWorkflow } from './steps.ts'
import type { SystemWorkflow } from './system-workflow.ts'

type Parameters = {
  readonly inputs: Readonly<Record<string, Json>>
  readonly labels: readonly LabelPair[]
  readonly display_name: string | null
}

/**
 * Makes a deployment's attributes, nodes and instances out of its blueprint's plan (docs/reference/plan.md, "What is
 * stored").
 */
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

  const outcome = await planned(
    services,
    tenantId,
    {
      plan: deployment.plan,
      inputs: parameters.inputs,
      runtimeOnlyEvaluation: deployment.runtime_only_evaluation,
    },
    environmentAnswers(services.db, execution, {
      id: deploymentId,
      blueprint: { tenantId: deployment.blueprintTenantId, id: deployment.blueprintId },
    }),
  )
  if (!outcome.ok) return fail(outcome.error)

  const { environment } = outcome
  let settings: {
    readonly labels: readonly LabelPair[]
    readonly displayName: string
    readonly groups: readonly string[]
  }
  try {
    settings = {
      labels: [...parameters.labels, ...planLabels(environment)],
      displayName:
        parameters.display_name ?? planDisplayName(environment.settings) ?? deployment.display_name,
      groups: planGroups(environment.settings),
    }
  } catch (error) {
    return fail(error instanceof DslError ? error.message : publicReason(error))
  }
  const creator = { tenantId, username: deployment.created_by }
  const lack = await lackingCapabilities(services.db, creator, deployment.requirements, settings.labels)
  if (lack !== undefined) return fail(lack)
  const owner = {
    tenantId,
    deploymentId,
    visibility: deployment.visibility,
    createdBy: deployment.created_by,
  }
  await endSystemWorkflow(services, execution, control, {
    async change(transaction) {
      await clearNodes(transaction, owner)
      await storeDeployment(transaction, owner, environment.deployment, settings.displayName)
      const { visibility, created_by } = deployment
      const stored = { tenant_id: tenantId, id: deploymentId, deploymentId, visibility, created_by }
      await insertNodes(transaction, stored, environment.nodes)
      await insertPlannedInstances(transaction, stored, environment.instances)
      const source = { tenantId, id: deploymentId }
      await removeDependencies(transaction, source)
      const used = usedCapabilities(environment.dependencies, deployment)
      await addDependencies(transaction, source, used, deployment.created_by)
      await setDeploymentLabels(transaction, source, settings.labels, deployment.created_by, 'add')
      const member = { ...source, createdBy: deployment.created_by }
      const closed = await joinGroups(transaction, member, settings.groups)
      const warnings = [...notBuilt(environment.settings), ...closed.map(notJoined)]
      await insertEvents(transaction, executionEvents(execution), logLines(warnings, services.now()))
    },
  })
}

/** The deployments whose capabilities the plan uses (docs/reference/plan.md, "Deployment plan"). */
function usedCapabilities(
  dependencies: Environment['dependencies'],
  { visibility, created_by }: { readonly visibility: Visibility; readonly created_by: string },
): readonly NewDependency[] {
  return dependencies.map(({ function_identifier, target_deployment: [target, func], context }) => ({
    id: randomUUID(),
    creator: function_identifier,
    target,
    targetFunction: target === null ? { function: func, context } : null,
    externalSource: null,
    externalTarget: null,
    visibility,
    createdBy: created_by,
  }))
}

async function planned(
  services: WorkerServices,
  tenantId: number,
  environment: EnvironmentToPlan,
  answers: EnvironmentAnswers,
): Promise<PlannedEnvironment> {
  try {
    const { plan, inputs } = environment
    if (plan.parts === null && plan.text.length + JSON.stringify(inputs).length < smallText) {
      const outcome = await planEnvironment(environment, answers, randomId, smallPlan)
      if (outcome.ok || !outcome.isTooLarge) return outcome
    }
    return await runInThread(() => services.planning.enter(tenantId), 'environment', environment, answers)
  } catch (error) {
    if (error instanceof TaskAborted) services.log.error({ err: error }, 'deployment not planned to an end')
    else if (!(error instanceof DslError || error instanceof ApiError)) throw error
    return { ok: false, error: error.message, isTooLarge: false }
  }
}

/** @throws ApiError when a label of the blueprint breaks the rules of labels */
function planLabels({ labels }: Environment): readonly LabelPair[] {
  return parseLabels(Object.entries(labels).map(([key, { values }]) => ({ [key]: [...values] })))
}

function planDisplayName(settings: JsonObject): string | undefined {
  const name = settings.display_name
  return typeof name === 'string' && name !== '' ? checkDisplayName(name) : undefined
}

/** The groups that the blueprint puts its deployments into. @throws ApiError when one can have no such name */
function planGroups({ default_groups: groups }: JsonObject): readonly string[] {
  if (groups === undefined || groups === null) return []
  if (!Array.isArray(groups)) {
    throw new Error('deployment_settings.default_groups of the blueprint is no list')
  }
  return groups.map((id) => checkIdentifier('default_groups', String(id), 'any'))
}

/** What the blueprint asks for and this release cannot give yet is said in the deployment's log. */
const notBuilt = (settings: JsonObject): readonly string[] =>
  Object.keys(settings.default_schedules ?? {}).length === 0
    ? []
    : [
        'deployment_settings.default_schedules of the blueprint is not applied: this release has not built it yet',
      ]

const notJoined = (groupId: string) =>
  `The deployment did not join the group ${groupId} of the blueprint's deployment_settings.default_groups: ` +
  'that one is not open to the deployment'

const logLines = (messages: readonly string[], nowMs: number): readonly NewEvent[] =>
  messages.map((message) => ({
    isLog: true,
    reportedAt: new Date(nowMs),
    level: 'warning',
    logger: 'tutti',
    message,
  }))
