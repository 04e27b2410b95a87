import type {
  DeploymentModel,
  JsonObject,
  ModelNode,
  ModelNodeInstance,
  ModelOperation,
  WorkflowSettings,
} from '../src/index.ts'
import { defaultSettings } from '../src/index.ts'

/** A deployment with one instance per node; the instance's id is the node's id with `_1`. */
export type NodeSketch = {
  readonly id: string
  readonly types?: readonly string[]
  /** `lifecycle.create`, `validation.create`, …: implemented ones. */
  readonly operations?: readonly string[]
  readonly properties?: JsonObject
  readonly state?: string
  readonly systemProperties?: JsonObject
  /** Id of the node that contains it. */
  readonly within?: string
  readonly relationships?: readonly RelationshipSketch[]
  /** Overrides of every operation of the node. */
  readonly operation?: Partial<ModelOperation>
}

export type RelationshipSketch = {
  readonly to: string
  readonly source?: readonly string[]
  readonly target?: readonly string[]
  readonly properties?: JsonObject
}

export function deployment(
  sketches: readonly NodeSketch[],
  settings: Partial<WorkflowSettings> = {},
): DeploymentModel {
  return {
    nodes: sketches.map(node),
    nodeInstances: sketches.map(nodeInstance),
    settings: { ...defaultSettings, ...settings },
  }
}

function node(sketch: NodeSketch): ModelNode {
  const operations = sketch.operations ?? []
  const types = ['cloudify.nodes.Root', ...(sketch.types ?? [])]
  return {
    id: sketch.id,
    type: types.at(-1) ?? '',
    type_hierarchy: types,
    properties: sketch.properties ?? {},
    operations: implemented('cloudify.interfaces.', operations, sketch.operation),
    relationships: relationshipsOf(sketch).map((relationship) => ({
      type: relationship.type,
      type_hierarchy: [relationship.type],
      target_id: relationship.to,
      properties: relationship.properties ?? {},
      source_operations: implemented(relationshipPrefix, relationship.source ?? []),
      target_operations: implemented(relationshipPrefix, relationship.target ?? []),
    })),
    plugins: [{ name: 'plug', executor: 'central_deployment_agent', package_name: 'plug-package' }],
  }
}

const relationshipsOf = ({ within, relationships = [] }: NodeSketch) => [
  ...(within === undefined
    ? []
    : [{ to: within, type: containedIn } as RelationshipSketch & { type: string }]),
  ...relationships.map((relationship) => ({ ...relationship, type: relationshipType })),
]

const containedIn = 'cloudify.relationships.contained_in'
const relationshipType = 'cloudify.relationships.depends_on'
const relationshipPrefix = 'cloudify.interfaces.relationship_lifecycle.'

function implemented(prefix: string, names: readonly string[], overrides: Partial<ModelOperation> = {}) {
  const entries = names.map((name) => [
    prefix + name,
    { ...operation, operation: `tasks.${name.split('.').at(-1)}`, ...overrides },
  ])
  return Object.fromEntries(entries) as Record<string, ModelOperation>
}

const operation: ModelOperation = {
  plugin: 'plug',
  operation: '',
  executor: 'central_deployment_agent',
  inputs: {},
  has_intrinsic_functions: false,
  max_retries: null,
  retry_interval: null,
  timeout: null,
  timeout_recoverable: null,
}

function nodeInstance(sketch: NodeSketch): ModelNodeInstance {
  return {
    id: `${sketch.id}_1`,
    node_id: sketch.id,
    host_id: null,
    state: sketch.state ?? 'uninitialized',
    relationships: relationshipsOf(sketch).map(({ to, type }) => ({
      type,
      target_name: to,
      target_id: `${to}_1`,
    })),
    scaling_groups: [],
    runtime_properties: {},
    ...(sketch.systemProperties !== undefined && { system_properties: sketch.systemProperties }),
  }
}

export function withStates(
  model: DeploymentModel,
  states: ReadonlyMap<string, string>,
  systemProperties: ReadonlyMap<string, JsonObject> = new Map(),
): DeploymentModel {
  return {
    ...model,
    nodeInstances: model.nodeInstances.map((one) => {
      const properties = { ...one.system_properties, ...systemProperties.get(one.id) }
      return { ...one, state: states.get(one.id) ?? one.state, system_properties: properties }
    }),
  }
}
