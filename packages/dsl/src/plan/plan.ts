import type { Json, JsonObject } from '../json.ts'

type Named<T> = { readonly [name: string]: T }

/** The parsed blueprint (docs/reference/plan.md, "The plan"). JSON-shaped: it is stored and sent as it is. */
export type Plan = {
  readonly description: string | null
  readonly metadata: JsonObject | null
  readonly version: PlanVersion
  readonly inputs: Named<InputSchema>
  readonly nodes: readonly PlanNode[]
  readonly relationships: Named<PlanRelationshipType>
  readonly workflows: Named<PlanWorkflow>
  readonly data_types: Named<PlanDataType>
  readonly policy_types: Named<{ readonly properties: Named<PropertySchema> } & PolicySource>
  readonly policy_triggers: Named<{ readonly parameters: Named<PropertySchema> } & PolicySource>
  readonly groups: Named<PlanGroup>
  readonly policies: Named<PlanPolicy>
  readonly scaling_groups: Named<PlanScalingGroup>
  readonly outputs: Named<PlanOutput>
  readonly capabilities: Named<PlanOutput>
  readonly labels: Named<PlanLabel>
  readonly blueprint_labels: Named<PlanLabel>
  readonly resource_tags: JsonObject
  readonly deployment_settings: JsonObject
  readonly deployment_plugins_to_install: readonly PlanPlugin[]
  readonly host_agent_plugins_to_install: readonly PlanPlugin[]
  readonly workflow_plugins_to_install: readonly PlanPlugin[]
  readonly imported_blueprints: readonly string[]
  readonly namespaces_mapping: Named<string>
  readonly requirements: PlanRequirements
}

export type PlanVersion = {
  readonly raw: string
  readonly definitions_name: string
  readonly definitions_version: readonly [number, number]
}

/** docs/reference/plan.md, "Requirements" */
export type PlanRequirements = {
  readonly parent_capabilities: readonly (readonly Json[])[]
  readonly secrets: readonly Json[]
}

/** Only the keys that the author wrote (docs/reference/language/types.md, "Property schemas"). */
export type PropertySchema = {
  readonly type?: string
  readonly default?: Json
  readonly description?: string
  readonly required?: boolean
}

/**
 * Inputs, workflow parameters and operation inputs of types (docs/reference/language/types.md, "Property schemas";
 * docs/reference/language/inputs.md, "Declaring").
 */
export interface InputSchema extends PropertySchema {
  readonly item_type?: string
  readonly constraints?: readonly JsonObject[]
  readonly display_label?: string
  readonly hidden?: boolean
  readonly display?: { readonly rows?: number }
}

export type PlanDataType = {
  readonly properties: Named<PropertySchema>
  readonly description: string | null
  readonly derived_from: string | null
  readonly version: string | null
}

/** docs/reference/plan.md, "Nodes" */
export type PlanNode = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly type_hierarchy: readonly string[]
  readonly properties: JsonObject
  readonly instances: { readonly deploy?: number }
  readonly capabilities: { readonly scalable: { readonly properties: ScalableProperties } }
  readonly interfaces: Named<Named<InterfaceOperation>>
  readonly operations: Named<PlanOperation>
  readonly relationships: readonly PlanRelationship[]
  readonly host_id?: string
  readonly plugins: readonly PlanPlugin[]
  readonly deployment_plugins_to_install: readonly PlanPlugin[]
  readonly plugins_to_install?: readonly PlanPlugin[]
}

/**
 * docs/reference/plan.md, "Scaling properties". Numbers, or functions until a deployment is created. -1 is unbounded.
 */
export type ScalableProperties = {
  readonly min_instances: Json
  readonly max_instances: Json
  readonly default_instances: Json
  readonly current_instances: Json
  readonly planned_instances: Json
}

/** An operation as it stands in an interface, merged with its type's. */
export type InterfaceOperation = {
  readonly implementation: string
  /** Values; in relationship types schemas. */
  readonly inputs: JsonObject
  readonly executor: string | null
  readonly max_retries: number | null
  readonly retry_interval: number | null
  readonly timeout: number | null
  readonly timeout_recoverable: boolean | null
}

/** docs/reference/plan.md, "Operations" */
export type PlanOperation = {
  readonly plugin: string
  readonly operation: string
  readonly executor: string | null
  readonly inputs: JsonObject
  readonly has_intrinsic_functions: boolean
  readonly max_retries: number | null
  readonly retry_interval: number | null
  readonly timeout: number | null
  readonly timeout_recoverable: boolean | null
  readonly inputs_types?: Named<string>
}

export type PlanRelationship = {
  readonly type: string
  readonly target_id: string
  readonly type_hierarchy: readonly string[]
  readonly properties: JsonObject
  readonly source_interfaces: Named<Named<InterfaceOperation>>
  readonly target_interfaces: Named<Named<InterfaceOperation>>
  readonly source_operations: Named<PlanOperation>
  readonly target_operations: Named<PlanOperation>
}

/** docs/reference/plan.md, "Operations" */
export type PlanPlugin = {
  readonly name: string
  readonly executor: string
  readonly install: boolean
  readonly source: string | null
  readonly install_arguments: string | null
  readonly package_name: string | null
  readonly package_version: string | null
  readonly supported_platform: string | null
  readonly distribution: string | null
  readonly distribution_version: string | null
  readonly distribution_release: string | null
  readonly properties_description: string | null
  readonly properties: Named<JsonObject>
}

/** docs/reference/plan.md, "Operations" */
export type PlanWorkflow = {
  readonly plugin: string
  readonly operation: string
  readonly parameters: Named<InputSchema>
  readonly is_cascading: boolean
  readonly availability_rules: AvailabilityRules | null
}

export type AvailabilityRules = {
  readonly available?: boolean
  readonly node_instances_active?: readonly string[]
  readonly node_types_required?: readonly string[]
}

export type PlanRelationshipType = {
  readonly name: string
  readonly derived_from?: string
  readonly type_hierarchy: readonly string[]
  readonly properties: Named<PropertySchema>
  readonly source_interfaces: Named<Named<InterfaceOperation>>
  readonly target_interfaces: Named<Named<InterfaceOperation>>
}

export type PlanGroup = {
  readonly members: readonly string[]
  readonly policies: Named<{
    readonly type: string
    readonly properties: JsonObject
    readonly triggers: Named<{ readonly type: string; readonly parameters: JsonObject }>
  }>
}

export type PlanPolicy = {
  readonly type: string
  readonly targets: readonly string[]
  readonly properties: ScalableProperties
}

export type PlanScalingGroup = {
  readonly members: readonly string[]
  readonly properties: ScalableProperties
}

export type PlanOutput = {
  readonly value: Json
  readonly description?: string
}

export type PlanLabel = {
  readonly values: readonly Json[]
}

/**
 * A plan made ready for one deployment (docs/reference/plan.md, "Deployment plan"): functions evaluated, inputs are
 * values.
 */
export interface DeploymentPlan extends Omit<Plan, 'inputs'> {
  readonly inputs: JsonObject
  readonly node_instances: readonly PlannedNodeInstance[]
  readonly inter_deployment_functions: readonly InterDeploymentFunction[]
}

/** Carried as data: nothing runs it. */
export type PolicySource = {
  readonly source: string
  readonly description?: string
}

/** docs/reference/plan.md, "Node instances" */
export type PlannedNodeInstance = {
  readonly id: string
  readonly name: string
  readonly node_id: string
  readonly host_id?: string
  readonly relationships: readonly InstanceRelationship[]
  readonly scaling_groups?: readonly { readonly name: string; readonly id: string }[]
}

export type InstanceRelationship = {
  readonly type: string
  readonly target_name: string
  readonly target_id: string
}

/** docs/reference/plan.md, "Deployment plan" */
export type InterDeploymentFunction = {
  readonly function_identifier: string
  /** Deployment id, or null while it is still the function that stands beside it. */
  readonly target_deployment: readonly [string | null, Json]
  readonly context: { readonly self?: string; readonly source?: string; readonly target?: string }
}
