import type { NodeRow } from '@tutti/domain/nodes'
import {
  BudgetExceeded,
  createDeploymentPlan,
  type DeploymentPlan,
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
import { instanceRows } from './instance-rows.ts'
import { unbuiltNode } from './unbuilt-node.ts'

export type EnvironmentToPlan = {
  /** The blueprint's plan as JSON: that of a thousand nodes has 36 MB, which only a thread should read. */
  readonly planText: string
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

export type PlannedEnvironment =
  | { readonly ok: true; readonly environment: Environment }
  | { readonly ok: false; readonly error: string; readonly isTooLarge: boolean }

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
  readonly nodes: readonly NodeRow[]
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
  { planText, inputs, runtimeOnlyEvaluation }: EnvironmentToPlan,
  answers: EnvironmentAnswers,
  randomId: () => string,
  limits: PlanningLimits,
): Promise<PlannedEnvironment> {
  const written = JSON.parse(planText) as Plan
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
          plan,
          inputs,
          runtimeOnlyEvaluation,
          randomId,
          limits,
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
  const { deploymentPlan } = outcome
  const unbuilt = unbuiltNode(deploymentPlan.nodes)
  if (unbuilt !== undefined) return { ok: false, error: unbuilt, isTooLarge: false }
  const free = await withFreeIds(
    deploymentPlan.node_instances,
    (ids) => answers.takenInstanceIds(ids),
    randomId,
  )
  return { ok: true, environment: environmentOf(deploymentPlan, instanceRows(free)) }
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
    nodes: plan.nodes.map(nodeRow),
    instances,
    dependencies: plan.inter_deployment_functions,
    labels: plan.labels,
    settings: plan.deployment_settings,
  }
}

function nodeRow(node: PlanNode): NodeRow {
  const scaling = node.capabilities.scalable.properties
  return {
    id: node.id,
    type: node.type,
    type_hierarchy: JSON.stringify(node.type_hierarchy),
    host_id: node.host_id ?? null,
    properties: JSON.stringify(node.properties),
    operations: JSON.stringify(node.operations),
    plugins: JSON.stringify(node.plugins),
    plugins_to_install:
      node.plugins_to_install === undefined ? null : JSON.stringify(node.plugins_to_install),
    relationships: JSON.stringify(node.relationships.map(storedRelationship)),
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
