import { type Json, type JsonObject, mapValues } from '../json.ts'
import type {
  PlanLabel,
  PlanNode,
  PlanOperation,
  PlanOutput,
  PlanRelationship,
  ScalableProperties,
} from '../plan/plan.ts'

/** Whose functions these are; decides what SELF, SOURCE and TARGET mean (dsl.md 15.4). */
export type Scope =
  | { readonly kind: 'node'; readonly node: string }
  | {
      readonly kind: 'relationship'
      readonly source: string
      readonly target: string
      readonly type: string
    }
  | { readonly kind: 'outputs' }
  | { readonly kind: 'other' }

/** Where a value with functions stands, e.g. `nodes.vm.properties.ip` (plan.md 7.2). */
export interface FunctionPlace {
  readonly path: string
  readonly scope: Scope
  /** Instance numbers, which a deployment plan needs at once. */
  readonly isScaling: boolean
}

export type Change = (value: Json, place: FunctionPlace) => Json

interface Scanned {
  readonly nodes: readonly PlanNode[]
  readonly outputs: { readonly [name: string]: PlanOutput }
  readonly policies: { readonly [name: string]: { readonly properties: ScalableProperties } }
  readonly scaling_groups: { readonly [name: string]: { readonly properties: ScalableProperties } }
  readonly capabilities: { readonly [name: string]: PlanOutput }
  readonly labels: { readonly [name: string]: PlanLabel }
  readonly deployment_settings: JsonObject
}

/** A plan with the value at every place where functions are looked for changed, in order (dsl.md 15.2). */
export function changePlaces<P extends Scanned>(plan: P, change: Change): P {
  const outside = { scope: { kind: 'other' }, isScaling: false } as const
  return {
    ...plan,
    nodes: plan.nodes.map((node) => changeNode(node, change)),
    outputs: mapValues(plan.outputs, (output, name) => ({
      ...output,
      value: change(output.value, {
        path: `outputs.${name}.value`,
        scope: { kind: 'outputs' },
        isScaling: false,
      }),
    })),
    policies: mapValues(plan.policies, (policy, name) => ({
      ...policy,
      properties: changeScaling(policy.properties, `policies.${name}.properties`, outside.scope, change),
    })),
    scaling_groups: mapValues(plan.scaling_groups, (group, name) => ({
      ...group,
      properties: changeScaling(group.properties, `scaling_groups.${name}.properties`, outside.scope, change),
    })),
    capabilities: mapValues(plan.capabilities, (capability, name) => ({
      ...capability,
      value: change(capability.value, { path: `capabilities.${name}.value`, ...outside }),
    })),
    labels: mapValues(plan.labels, (label, name) => ({
      ...label,
      values: label.values.map((value, index) =>
        change(value, { path: `labels.${name}.values[${index}]`, ...outside }),
      ),
    })),
    deployment_settings: mapValues(plan.deployment_settings, (value, name) =>
      change(value, { path: `deployment_settings.${name}`, ...outside }),
    ),
  }
}

function changeNode(node: PlanNode, change: Change): PlanNode {
  const scope: Scope = { kind: 'node', node: node.name }
  const path = `nodes.${node.name}`
  return {
    ...node,
    properties: mapValues(node.properties, (value, name) =>
      change(value, { path: `${path}.properties.${name}`, scope, isScaling: false }),
    ),
    capabilities: {
      scalable: {
        properties: changeScaling(
          node.capabilities.scalable.properties,
          `${path}.capabilities.scalable`,
          scope,
          change,
        ),
      },
    },
    operations: changeOperations(node.operations, `${path}.operations`, scope, change),
    relationships: node.relationships.map((relationship) =>
      changeRelationship(node, relationship, path, change),
    ),
  }
}

function changeRelationship(
  node: PlanNode,
  relationship: PlanRelationship,
  path: string,
  change: Change,
): PlanRelationship {
  const { type, target_id: target } = relationship
  const scope: Scope = { kind: 'relationship', source: node.name, target, type }
  return {
    ...relationship,
    source_operations: changeOperations(relationship.source_operations, `${path}.${type}`, scope, change),
    target_operations: changeOperations(relationship.target_operations, `${path}.${type}`, scope, change),
  }
}

function changeOperations(
  operations: { readonly [name: string]: PlanOperation },
  path: string,
  scope: Scope,
  change: Change,
): { readonly [name: string]: PlanOperation } {
  return mapValues(operations, (operation, name) => {
    if (Object.keys(operation.inputs).length === 0) return operation
    const inputs = mapValues(operation.inputs, (value, input) =>
      change(value, { path: `${path}.${name}.inputs.${input}`, scope, isScaling: false }),
    )
    return { ...operation, inputs }
  })
}

function changeScaling(
  properties: ScalableProperties,
  path: string,
  scope: Scope,
  change: Change,
): ScalableProperties {
  const of = (name: keyof ScalableProperties): Json =>
    change(properties[name], { path: `${path}.${name}`, scope, isScaling: true })
  return {
    min_instances: of('min_instances'),
    max_instances: of('max_instances'),
    default_instances: of('default_instances'),
    current_instances: of('current_instances'),
    planned_instances: of('planned_instances'),
  }
}

/** Calls `visit` for every value in which functions are looked for; nothing is changed. */
export function eachPlace(plan: Scanned, visit: (value: Json, place: FunctionPlace) => void): void {
  changePlaces(plan, (value, place) => {
    visit(value, place)
    return value
  })
}
