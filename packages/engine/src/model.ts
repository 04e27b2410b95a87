import type { JsonObject, JsonValue } from './json.ts'

/**
 * What the graph builders need to know of a deployment: its nodes as planned (docs/reference/plan.md, "Nodes" and
 * "Operations"), its node instances as they are now (docs/reference/plan.md, "Node instances") and the workflow
 * settings (docs/reference/workflows.md, "Settings"). The runner reads it anew before each phase of a workflow.
 */
export type DeploymentModel = {
  readonly nodes: readonly ModelNode[]
  readonly nodeInstances: readonly ModelNodeInstance[]
  readonly settings: WorkflowSettings
  /** The started modification of the deployment (docs/reference/deployment-modifications.md): ids of node instances. */
  readonly modification?: {
    readonly added: ReadonlySet<string>
    readonly removed: ReadonlySet<string>
  }
}

export type ModelNode = {
  readonly id: string
  readonly type: string
  /** Root first, the node's own type last. */
  readonly type_hierarchy: readonly string[]
  readonly properties: JsonObject
  /** By full name (`cloudify.interfaces.lifecycle.create`) and, where unambiguous, by short name. */
  readonly operations: Readonly<Record<string, ModelOperation>>
  readonly relationships: readonly ModelRelationship[]
  readonly host_id?: string | null
  readonly plugins: readonly ModelPlugin[]
}

/** docs/reference/plan.md, "Operations"; an operation with an empty `plugin` and `operation` is not implemented. */
export type ModelOperation = {
  readonly plugin: string
  readonly operation: string
  readonly executor: string | null
  readonly inputs: JsonObject
  readonly has_intrinsic_functions: boolean
  /** −1 = without limit; null = the setting holds. */
  readonly max_retries: number | null
  /** Seconds; null = the setting holds. */
  readonly retry_interval: number | null
  /** Seconds. */
  readonly timeout: number | null
  readonly timeout_recoverable: boolean | null
  readonly inputs_types?: Readonly<Record<string, string>>
}

export type ModelRelationship = {
  readonly type: string
  readonly type_hierarchy: readonly string[]
  /** Id of the target *node*. */
  readonly target_id: string
  readonly properties: JsonObject
  readonly source_operations: Readonly<Record<string, ModelOperation>>
  readonly target_operations: Readonly<Record<string, ModelOperation>>
}

export type ModelPlugin = {
  readonly name: string
  readonly executor?: string | null
  readonly package_name?: string | null
  readonly package_version?: string | null
  readonly source?: string | null
  readonly install?: boolean
  readonly install_arguments?: string | null
  readonly supported_platform?: string | null
  readonly distribution?: string | null
  readonly distribution_version?: string | null
  readonly distribution_release?: string | null
  readonly properties?: JsonValue
}

export type ModelNodeInstance = {
  readonly id: string
  readonly node_id: string
  readonly host_id?: string | null
  readonly state: string
  readonly index?: number
  readonly relationships: readonly ModelRelationshipInstance[]
  readonly scaling_groups: readonly { readonly id: string; readonly name: string }[]
  readonly runtime_properties: JsonObject
  /** What checks have found (docs/reference/nodes-and-instances.md, "Checks"). */
  readonly system_properties?: JsonObject
}

export type ModelRelationshipInstance = {
  readonly type: string
  /** Id of the target node. */
  readonly target_name: string
  /** Id of the target node instance. */
  readonly target_id: string
}

/** docs/reference/workflows.md, "Settings". */
export type WorkflowSettings = {
  /** −1 = without limit. */
  readonly taskRetries: number
  readonly taskRetryIntervalMs: number
  readonly subgraphRetries: number
  /** How long independent branches may go on after the first failure. */
  readonly waitAfterFailMs: number
}

/** The values that a manager starts with. */
export const defaultSettings: WorkflowSettings = {
  taskRetries: 60,
  taskRetryIntervalMs: 15_000,
  subgraphRetries: 0,
  waitAfterFailMs: 600_000,
}
