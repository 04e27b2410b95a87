/**
 * What the language's functions read, as packages/dsl declares it (`runtime/storage.ts`). Written here once more, as
 * this package knows nothing of the language; that both agree is checked where the one is given to the other.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

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
  | { readonly found: 'value'; readonly value: Json; readonly storage: DeploymentStorage }
  | { readonly found: 'no deployment' }
  | { readonly found: 'no capability' }

export type SystemFact =
  | 'tenant.name'
  | 'deployment.id'
  | 'deployment.name'
  | 'deployment.blueprint'
  | 'deployment.owner'

export type DeploymentStorage = {
  readonly deploymentId: string
  pause(): Promise<void>
  node(nodeId: string): Promise<StoredNode | null>
  nodeInstance(instanceId: string): Promise<StoredNodeInstance | null>
  nodeInstancesOf(nodeId: string): Promise<readonly StoredNodeInstance[]>
  input(name: string): Promise<Json | undefined>
  secret(key: string): Promise<string | undefined>
  capability(deploymentId: string, name: string): Promise<StoredCapability>
  parentDeploymentId(): Promise<string | null>
  groupDeploymentIds(groupId: string): Promise<readonly string[] | null>
  labelValues(key: string): Promise<readonly string[]>
  system(fact: SystemFact): Promise<string | null>
  consumers(): Promise<readonly { readonly id: string; readonly displayName: string }[]>
}
