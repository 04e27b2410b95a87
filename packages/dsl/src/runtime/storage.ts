import type { Json, JsonObject } from '../json.ts'

/** What run-time evaluation reads. Every read belongs to one deployment unless it names another. */
export type EvaluationStorage = {
  readonly deploymentId: string
  /** Lets others have their turn, where many are served by one process. */
  pause(): Promise<void>
  node(nodeId: string): Promise<StoredNode | null>
  nodeInstance(instanceId: string): Promise<StoredNodeInstance | null>
  /** All instances of a node, by index. */
  nodeInstancesOf(nodeId: string): Promise<readonly StoredNodeInstance[]>
  /** Value of an input of the deployment; undefined when it has none of that name. */
  input(name: string): Promise<Json | undefined>
  /** Undefined when the secret does not exist or is not visible. */
  secret(key: string): Promise<string | undefined>
  /** Declared capability of a deployment, unevaluated, with the storage in which to evaluate it. */
  capability(deploymentId: string, name: string): Promise<StoredCapability>
  /** First `csys-obj-parent` label of the deployment, or null. */
  parentDeploymentId(): Promise<string | null>
  /** Ids of a deployment group's deployments, sorted; null when there is no such group. */
  groupDeploymentIds(groupId: string): Promise<readonly string[] | null>
  /** Values of a deployment label by creation time, then value. */
  labelValues(key: string): Promise<readonly string[]>
  /** `get_sys`: the five facts of docs/reference/language/functions.md, "The functions". */
  system(fact: SystemFact): Promise<string | null>
  /** Deployments labelled as consumers of this one. */
  consumers(): Promise<readonly { readonly id: string; readonly displayName: string }[]>
}

export type SystemFact =
  | 'tenant.name'
  | 'deployment.id'
  | 'deployment.name'
  | 'deployment.blueprint'
  | 'deployment.owner'

export type StoredNode = {
  readonly id: string
  readonly properties: JsonObject
  readonly relationships: readonly {
    readonly target_id: string
    readonly type_hierarchy: readonly string[]
  }[]
}

export type StoredNodeInstance = {
  readonly id: string
  readonly node_id: string
  readonly index: number
  readonly runtime_properties: JsonObject
  readonly relationships: readonly {
    readonly type: string
    readonly target_name: string
    readonly target_id: string
  }[]
  readonly scaling_groups: readonly { readonly name: string; readonly id: string }[]
}

export type StoredCapability =
  | { readonly found: 'value'; readonly value: Json; readonly storage: EvaluationStorage }
  | { readonly found: 'no deployment' }
  | { readonly found: 'no capability' }

/**
 * Whose functions are evaluated (docs/reference/language/functions.md, "At run time"). Empty for outputs and
 * capabilities.
 */
export type EvaluationContext = {
  /** Instance id, for node operations. */
  readonly self?: string
  /** Instance ids and node names, for relationship operations. */
  readonly source?: string
  readonly target?: string
  readonly source_node?: string
  readonly target_node?: string
}
