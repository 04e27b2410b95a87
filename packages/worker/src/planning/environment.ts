import { parseShared, partsOf, sharedTexts } from '@tutti/api'
import { type NodeBatch, type NodeRow, nodeBatch } from '@tutti/domain/nodes'
import {
  BudgetExceeded,
  createDeploymentPlan,
  type DeploymentPlan,
  type DeploymentPlanRequest,
  type DslError,
  hasFunctionsInConstraints,
  type InputSchema,
  type Json,
  type JsonObject,
  type ObjectQuery,
  type Plan,
  type PlanNode,
  type PlanningLimits,
  withFreeIds,
  withObjects,
} from '@tutti/dsl'
import { inParts } from '@tutti/storage'
import { instanceRows } from './instance-rows.ts'
import { unbuiltNode } from './unbuilt-node.ts'
import { utf8 } from './utf8.ts'

export type EnvironmentToPlan = {
  /** The blueprint's plan as it is stored. */
  readonly plan: { readonly text: string; readonly parts: string | null }
  readonly inputs: Readonly<Record<string, Json>>
  readonly runtimeOnlyEvaluation: boolean
}

type Inputs = Readonly<Record<string, InputSchema>>

/** What is in the database. */
export type EnvironmentAnswers = {
  /** Inputs whose constraints hold values instead of functions. */
  constraints(question: {
    readonly inputs: Inputs
    readonly given: EnvironmentToPlan['inputs']
  }): Promise<Inputs>
  objects(queries: readonly ObjectQuery[]): Promise<readonly boolean[]>
  missingSecrets(keys: readonly string[]): Promise<readonly string[]>
  /** Which of these ids other deployments of the tenant use already. */
  takenInstanceIds(ids: readonly string[]): Promise<readonly string[]>
}

export type PlannedEnvironment = { readonly ok: true; readonly environment: Environment } | FailedPlan

/** A deployment plan as it is stored (docs/reference/plan.md, "What is stored"), JSON being text already. */
export type Environment = {
  readonly deployment: {
    readonly description: string | null
    readonly inputs: string
    readonly outputs: string
    readonly capabilities: string
    readonly groups: string
    readonly scaling_groups: string
    readonly policy_types: string
    readonly policy_triggers: string
    readonly workflows: string
    readonly resource_tags: string
  }
  readonly nodes: readonly NodeBatch[]
  /** Batches of rows. */
  readonly instances: readonly string[]
  readonly dependencies: DeploymentPlan['inter_deployment_functions']
  readonly labels: DeploymentPlan['labels']
  readonly settings: JsonObject
}

/**
 * Plans a deployment: its nodes and instances out of the blueprint's plan (docs/reference/plan.md, "Deployment plan").
 * Beyond the limits the answer is that it is too large.
 */
export async function planEnvironment(
  environment: EnvironmentToPlan,
  answers: EnvironmentAnswers,
  randomId: () => string,
  limits: PlanningLimits,
): Promise<PlannedEnvironment> {
  const { inputs, runtimeOnlyEvaluation } = environment
  const request = { plan: readPlan(environment), inputs, runtimeOnlyEvaluation, randomId, limits }
  const outcome = await planDeployment(request, answers)
  if (!outcome.ok) return outcome
  const { deploymentPlan } = outcome
  const free = await withFreeIds(
    deploymentPlan.node_instances,
    (ids) => answers.takenInstanceIds(ids),
    randomId,
  )
  return { ok: true, environment: environmentOf(deploymentPlan, instanceRows(free)) }
}

/** Of a blueprint, as it is stored. */
export const readPlan = ({ plan }: Pick<EnvironmentToPlan, 'plan'>): Plan =>
  parseShared({ text: plan.text, parts: partsOf(plan.parts ?? '') }) as Plan

export type FailedPlan = { readonly ok: false; readonly error: string; readonly isTooLarge: boolean }

/** Plans it with what the database answers. */
export async function planDeployment(
  request: Omit<DeploymentPlanRequest, 'objects' | 'secretExists'>,
  answers: EnvironmentAnswers,
): Promise<{ readonly ok: true; readonly deploymentPlan: DeploymentPlan } | FailedPlan> {
  const { plan: written, inputs } = request
  const plan = hasFunctionsInConstraints(written.inputs)
    ? { ...written, inputs: await answers.constraints({ inputs: written.inputs, given: inputs }) }
    : written
  const wanted = new Set<string>()
  let missing: ReadonlySet<string> = new Set()
  const outcomeOf = () =>
    withObjects(
      (queries) => answers.objects(queries),
      (objects) =>
        createDeploymentPlan({
          ...request,
          plan,
          objects,
          secretExists(key) {
            wanted.add(key)
            return !missing.has(key)
          },
        }),
    )
  let outcome = await outcomeOf()
  // Which secrets it takes is known only when everything else is evaluated.
  if (wanted.size > 0) missing = new Set(await answers.missingSecrets([...wanted]))
  if (missing.size > 0) outcome = await outcomeOf()
  if (!outcome.ok) {
    const { error } = outcome
    return { ok: false, error: named(error), isTooLarge: error instanceof BudgetExceeded }
  }
  const unbuilt = unbuiltNode(outcome.deploymentPlan.nodes)
  return unbuilt === undefined ? outcome : { ok: false, error: unbuilt, isTooLarge: false }
}

/** Clients tell what breaks a constraint from other failures by its name. */
const named = ({ errorClass, message }: DslError) =>
  errorClass === 'ConstraintException' ? `${errorClass}: ${message}` : message

function environmentOf(plan: DeploymentPlan, instances: readonly string[]): Environment {
  return {
    deployment: {
      description: plan.description,
      inputs: JSON.stringify(plan.inputs),
      outputs: JSON.stringify(plan.outputs),
      capabilities: JSON.stringify(plan.capabilities),
      groups: JSON.stringify(plan.groups),
      scaling_groups: JSON.stringify(plan.scaling_groups),
      policy_types: JSON.stringify(plan.policy_types),
      policy_triggers: JSON.stringify(plan.policy_triggers),
      workflows: JSON.stringify(plan.workflows),
      resource_tags: JSON.stringify(plan.resource_tags),
    },
    nodes: [...inParts(plan.nodes)].map(batchOf),
    instances,
    dependencies: plan.inter_deployment_functions,
    labels: plan.labels,
    settings: plan.deployment_settings,
  }
}

/** What the nodes of a batch have in common stands once in it. */
function batchOf(nodes: readonly PlanNode[]): NodeBatch {
  const documents = nodes.flatMap((node) => [
    node.type_hierarchy,
    node.properties,
    node.operations,
    node.plugins,
    node.plugins_to_install ?? null,
    node.relationships.map(storedRelationship),
  ])
  const { texts, parts } = sharedTexts(documents)
  const ofEach = documents.length / nodes.length
  const rows = nodes.map((node, index) => nodeRow(node, texts.slice(index * ofEach, (index + 1) * ofEach)))
  const batch = nodeBatch(rows, parts)
  return { rows: utf8(batch.rows), parts: utf8(batch.parts) }
}

function nodeRow(node: PlanNode, texts: readonly string[]): NodeRow {
  const [
    type_hierarchy = '',
    properties = '',
    operations = '',
    plugins = '',
    toInstall = '',
    relationships = '',
  ] = texts
  const scaling = node.capabilities.scalable.properties
  return {
    id: node.id,
    type: node.type,
    type_hierarchy,
    host_id: node.host_id ?? null,
    properties,
    operations,
    plugins,
    plugins_to_install: node.plugins_to_install === undefined ? null : toInstall,
    relationships,
    number_of_instances: count(scaling.current_instances),
    planned_number_of_instances: count(scaling.current_instances),
    deploy_number_of_instances: count(scaling.default_instances),
    min_number_of_instances: count(scaling.min_instances),
    max_number_of_instances: count(scaling.max_instances),
  }
}

function storedRelationship(relationship: PlanNode['relationships'][number]) {
  const { type, type_hierarchy, target_id, properties, source_operations, target_operations } = relationship
  return { type, type_hierarchy, target_id, properties, source_operations, target_operations }
}

/** Functions are evaluated by now, so these are numbers. */
function count(value: Json): number {
  if (typeof value === 'number') return value
  throw new Error(`an instance count of the deployment plan is no number: ${JSON.stringify(value)}`)
}
