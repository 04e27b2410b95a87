import { type Json, type JsonObject, mapChanged, mapItems } from '../json.ts'
import type {
  PlanLabel,
  PlanNode,
  PlanOperation,
  PlanOutput,
  PlanRelationship,
  ScalableProperties,
} from '../plan/plan.ts'

/**
 * Whose functions these are; decides what SELF, SOURCE and TARGET mean (docs/reference/language/functions.md,
 * "Scopes").
 */
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

/**
 * Where a value with functions stands, e.g. `nodes.vm.properties.ip` (docs/reference/language/functions.md, "Where
 * functions count").
 */
export type FunctionPlace = {
  readonly path: string
  readonly scope: Scope
  /** Instance numbers, which a deployment plan needs at once. */
  readonly isScaling: boolean
}

export type Change = (value: Json, place: FunctionPlace) => Json

type Scanned = {
  readonly nodes: readonly PlanNode[]
  readonly outputs: { readonly [name: string]: PlanOutput }
  readonly policies: { readonly [name: string]: { readonly properties: ScalableProperties } }
  readonly scaling_groups: { readonly [name: string]: { readonly properties: ScalableProperties } }
  readonly capabilities: { readonly [name: string]: PlanOutput }
  readonly labels: { readonly [name: string]: PlanLabel }
  readonly deployment_settings: JsonObject
}

/**
 * A plan with the value at every place where functions are looked for changed, in order
 * (docs/reference/language/functions.md, "Where functions count").
 */
export function changePlaces<P extends Scanned>(plan: P, change: Change): P {
  const outside = { scope: { kind: 'other' }, isScaling: false } as const
  return changedIn(plan, {
    nodes: mapItems(plan.nodes, (node) => changeNode(node, change)),
    outputs: mapChanged(plan.outputs, (output, name) =>
      changedIn(output, {
        value: change(output.value, {
          path: `outputs.${name}.value`,
          scope: { kind: 'outputs' },
          isScaling: false,
        }),
      }),
    ),
    policies: mapChanged(plan.policies, (policy, name) =>
      changedIn(policy, {
        properties: changeScaling(policy.properties, `policies.${name}.properties`, outside.scope, change),
      }),
    ),
    scaling_groups: mapChanged(plan.scaling_groups, (group, name) =>
      changedIn(group, {
        properties: changeScaling(
          group.properties,
          `scaling_groups.${name}.properties`,
          outside.scope,
          change,
        ),
      }),
    ),
    capabilities: mapChanged(plan.capabilities, (capability, name) =>
      changedIn(capability, {
        value: change(capability.value, { path: `capabilities.${name}.value`, ...outside }),
      }),
    ),
    labels: mapChanged(plan.labels, (label, name) =>
      changedIn(label, {
        values: mapItems(label.values, (value, index) =>
          change(value, { path: `labels.${name}.values[${index}]`, ...outside }),
        ),
      }),
    ),
    deployment_settings: mapChanged(plan.deployment_settings, (value, name) =>
      change(value, { path: `deployment_settings.${name}`, ...outside }),
    ),
  } as Partial<P>)
}

/** The object with some members changed; itself when they are the same. */
function changedIn<T extends object>(object: T, members: Partial<T>): T {
  for (const key of Object.keys(members) as (keyof T)[]) {
    if (members[key] !== object[key]) return { ...object, ...members }
  }
  return object
}

function changeNode(node: PlanNode, change: Change): PlanNode {
  const scope: Scope = { kind: 'node', node: node.name }
  const path = `nodes.${node.name}`
  const { scalable } = node.capabilities
  const properties = changeScaling(scalable.properties, `${path}.capabilities.scalable`, scope, change)
  return changedIn(node, {
    properties: mapChanged(node.properties, (value, name) =>
      change(value, { path: `${path}.properties.${name}`, scope, isScaling: false }),
    ),
    capabilities: properties === scalable.properties ? node.capabilities : { scalable: { properties } },
    operations: changeOperations(node.operations, `${path}.operations`, scope, change),
    relationships: mapItems(node.relationships, (relationship) =>
      changeRelationship(node, relationship, path, change),
    ),
  })
}

function changeRelationship(
  node: PlanNode,
  relationship: PlanRelationship,
  path: string,
  change: Change,
): PlanRelationship {
  const { type, target_id: target } = relationship
  const scope: Scope = { kind: 'relationship', source: node.name, target, type }
  return changedIn(relationship, {
    source_operations: changeOperations(relationship.source_operations, `${path}.${type}`, scope, change),
    target_operations: changeOperations(relationship.target_operations, `${path}.${type}`, scope, change),
  })
}

function changeOperations(
  operations: { readonly [name: string]: PlanOperation },
  path: string,
  scope: Scope,
  change: Change,
): { readonly [name: string]: PlanOperation } {
  return mapChanged(operations, (operation, name) => {
    const inputs = mapChanged(operation.inputs, (value, input) =>
      change(value, { path: `${path}.${name}.inputs.${input}`, scope, isScaling: false }),
    )
    return inputs === operation.inputs ? operation : { ...operation, inputs }
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
  return changedIn(properties, {
    min_instances: of('min_instances'),
    max_instances: of('max_instances'),
    default_instances: of('default_instances'),
    current_instances: of('current_instances'),
    planned_instances: of('planned_instances'),
  })
}

/** Calls `visit` for every value in which functions are looked for; nothing is changed. */
export function eachPlace(plan: Scanned, visit: (value: Json, place: FunctionPlace) => void): void {
  changePlaces(plan, (value, place) => {
    visit(value, place)
    return value
  })
}
