import type { JsonObject } from './json.ts'
import type {
  DeploymentModel,
  ModelNode,
  ModelNodeInstance,
  ModelRelationship,
  ModelRelationshipInstance,
  WorkflowSettings,
} from './model.ts'
import { type BuildInput, WorkflowError } from './workflow.ts'

/** A deployment as the step builders look things up in it. */
export type BuildScope = {
  readonly instances: ReadonlyMap<string, ModelNodeInstance>
  readonly nodes: ReadonlyMap<string, ModelNode>
  readonly settings: WorkflowSettings
  readonly context: JsonObject
  readonly modification: DeploymentModel['modification']
  /** A failing operation is reported and passed over. */
  readonly ignoreFailure: boolean
}

export function buildScope(input: Pick<BuildInput, 'model' | 'context'>, ignoreFailure = false): BuildScope {
  const { nodes, nodeInstances, settings } = input.model
  return {
    nodes: new Map(nodes.map((node) => [node.id, node])),
    instances: new Map(nodeInstances.map((instance) => [instance.id, instance])),
    settings,
    modification: input.model.modification,
    context: input.context,
    ignoreFailure,
  }
}

export function nodeOf(scope: BuildScope, instance: ModelNodeInstance): ModelNode {
  const node = scope.nodes.get(instance.node_id)
  if (node !== undefined) return node
  throw new WorkflowError(
    `Node instance ${instance.id} is of node ${instance.node_id}, which does not exist.`,
  )
}

export function instanceById(scope: BuildScope, id: string): ModelNodeInstance {
  const instance = scope.instances.get(id)
  if (instance !== undefined) return instance
  throw new WorkflowError(`Node instance ${id} does not exist in this deployment.`)
}

/** One relationship of a node instance with what its node declares of it. */
export type Relationship = {
  readonly instance: ModelRelationshipInstance
  readonly declared: ModelRelationship
}

/**
 * In declared order. Of two relationships to the same target instance only the last one counts
 * (docs/reference/workflows.md, "Relationships").
 */
export function relationshipsOf(scope: BuildScope, source: ModelNodeInstance): readonly Relationship[] {
  const node = nodeOf(scope, source)
  const byTarget = new Map<string, Relationship>()
  for (const instance of source.relationships) {
    const toTarget = node.relationships.filter(({ target_id }) => target_id === instance.target_name)
    const declared = toTarget.findLast(({ type }) => type === instance.type) ?? toTarget.at(-1)
    if (declared === undefined) {
      throw new WorkflowError(
        `Node instance ${source.id} has a relationship to ${instance.target_id}, but its node ${node.id} ` +
          `declares none to node ${instance.target_name}.`,
      )
    }
    byTarget.set(instance.target_id, { instance, declared })
  }
  return [...byTarget.values()]
}
