import { DslError } from '../diagnostic.ts'
import { newBudget, PLANNING_LIMITS, type PlanningLimits } from '../functions/budget.ts'
import { holdsCall } from '../functions/call.ts'
import { type Creation, creationOf } from '../functions/create.ts'
import { changePlaces } from '../functions/places.ts'
import { generateNodeInstances } from '../instances/generate.ts'
import { type Json, mapChanged } from '../json.ts'
import type { DeploymentPlan, Plan, PlanNode, PlanOperation } from '../plan/plan.ts'
import type { ObjectGetter } from '../types/objects.ts'
import { interDeploymentFunctions } from './dependencies.ts'
import { deploymentInputs } from './inputs.ts'
import { checkSecrets } from './secrets.ts'

export type DeploymentPlanRequest = {
  readonly plan: Plan
  readonly inputs: { readonly [name: string]: Json }
  readonly runtimeOnlyEvaluation?: boolean
  readonly autoCorrectTypes?: boolean
  /** Six characters of `a-z0-9`. */
  readonly randomId: () => string
  /** Beyond them `BudgetExceeded` is the outcome's error. */
  readonly limits?: PlanningLimits
  /** Without it any `get_secret` is an UnsupportedGetSecretError. */
  readonly secretExists?: (key: string) => boolean
  /** Without it objects are not looked up. See `withObjects` for answers that take time. */
  readonly objects?: ObjectGetter
  /** The deployment that exists already, for an update. */
  readonly deploymentId?: string
}

export type DeploymentPlanOutcome =
  | { readonly ok: true; readonly deploymentPlan: DeploymentPlan }
  | { readonly ok: false; readonly error: DslError }

/**
 * A plan made ready for one deployment (docs/reference/plan.md, "Deployment plan"). Never throws for a user's mistake.
 * Functions in the constraints of inputs are to be evaluated before (`evaluateFunctions`).
 */
export function createDeploymentPlan(request: DeploymentPlanRequest): DeploymentPlanOutcome {
  try {
    return { ok: true, deploymentPlan: deploymentPlanOf(request) }
  } catch (error) {
    if (error instanceof DslError) return { ok: false, error }
    throw error
  }
}

function deploymentPlanOf(request: DeploymentPlanRequest): DeploymentPlan {
  const { plan, objects, limits = PLANNING_LIMITS } = request
  const inputs = deploymentInputs({
    plan,
    given: request.inputs,
    autoCorrectTypes: request.autoCorrectTypes ?? false,
    deploymentId: request.deploymentId ?? null,
    ...(objects === undefined ? {} : { objects }),
  })
  const creation = creationOf({
    inputs,
    properties: new Map(plan.nodes.map((node) => [node.name, node.properties])),
    budget: newBudget(limits.functions),
  })
  const evaluated = evaluatedPlan(plan, creation, request.runtimeOnlyEvaluation ?? false)
  checkSecrets(evaluated, request.secretExists)
  const nodeInstances = generateNodeInstances(evaluated, request.randomId, limits.instances)
  return {
    ...evaluated,
    inputs,
    node_instances: nodeInstances,
    inter_deployment_functions: interDeploymentFunctions(evaluated, nodeInstances),
  }
}

/** With run-time-only evaluation functions stay, except in the numbers of instances, which are needed now. */
function evaluatedPlan(plan: Plan, creation: Creation, runtimeOnly: boolean): Plan {
  const evaluated = changePlaces(plan, (value, place) =>
    runtimeOnly && !place.isScaling ? value : creation(value, place.path, place.scope),
  )
  return { ...evaluated, nodes: evaluated.nodes.map(flaggedNode) }
}

/**
 * Operations that still hold functions in their inputs are evaluated before each run
 * (docs/reference/language/functions.md, "At creation").
 */
function flaggedNode(node: PlanNode): PlanNode {
  return {
    ...node,
    interfaces: withInputsOf(node.interfaces, node.operations),
    operations: flagged(node.operations),
    relationships: node.relationships.map((relationship) => ({
      ...relationship,
      source_interfaces: withInputsOf(relationship.source_interfaces, relationship.source_operations),
      target_interfaces: withInputsOf(relationship.target_interfaces, relationship.target_operations),
      source_operations: flagged(relationship.source_operations),
      target_operations: flagged(relationship.target_operations),
    })),
  }
}

type Operations = { readonly [name: string]: PlanOperation }

function flagged(operations: Operations): Operations {
  return mapChanged(operations, (operation) =>
    Object.values(operation.inputs).some((value) => holdsCall(value))
      ? { ...operation, has_intrinsic_functions: true }
      : operation,
  )
}

/** Interfaces show the same inputs as the operations made from them. */
function withInputsOf(interfaces: PlanNode['interfaces'], operations: Operations): PlanNode['interfaces'] {
  return mapChanged(interfaces, (declared, name) =>
    mapChanged(declared, (operation, operationName) => {
      const evaluated = operations[`${name}.${operationName}`]?.inputs ?? {}
      const inputs = mapChanged(operation.inputs, (value, input) => evaluated[input] ?? value)
      return inputs === operation.inputs ? operation : { ...operation, inputs }
    }),
  )
}
