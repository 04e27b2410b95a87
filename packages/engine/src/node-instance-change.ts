import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { DeploymentModel, ModelNodeInstance, ModelRelationshipInstance } from './model.ts'
import type { TaskStep } from './step.ts'

/** How the node instances of a deployment become others: what scaling and updates do to them. */
export type NodeInstanceChange = {
  /** They come into being uninitialized, under ids that nothing else in the tenant has. */
  readonly added: readonly AddedNodeInstance[]
  /** Of instances that stay, all relationships that they have from now on. */
  readonly rewired: readonly RewiredNodeInstance[]
  readonly removed: readonly string[]
}

export type AddedNodeInstance = Pick<
  ModelNodeInstance,
  'id' | 'node_id' | 'host_id' | 'relationships' | 'scaling_groups'
>

export type RewiredNodeInstance = {
  readonly id: string
  readonly relationships: readonly ModelRelationshipInstance[]
}

/**
 * The change as a task of a graph: it takes place once, in the transaction that records the task as done. Only in graphs
 * of phases that say so (`changesNodeInstances`).
 */
export function changeNodeInstances(info: string, change: NodeInstanceChange): TaskStep {
  const type = 'ChangeNodeInstancesTask'
  const { added, rewired, removed } = change
  const taskKwargs = { added, rewired, removed } as unknown as JsonObject
  return { kind: 'task', type, name: type, info, taskKwargs }
}

/** What a stored task says is to change; undefined when it is nothing that can be read. */
export function changeOf({ added, rewired, removed }: JsonObject): NodeInstanceChange | undefined {
  const isWhole =
    isListOf(added, isAdded) && isListOf(rewired, isWired) && isListOf(removed, (id) => isText(id))
  if (!isWhole) return undefined
  return { added, rewired, removed } as unknown as NodeInstanceChange
}

function isListOf(value: JsonValue | undefined, is: (item: JsonValue) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}

const isText = (value: JsonValue | undefined) => typeof value === 'string' && value !== ''

const isWired = (item: JsonValue) =>
  isJsonObject(item) &&
  isText(item.id) &&
  isListOf(
    item.relationships,
    (one) => isJsonObject(one) && isText(one.type) && isText(one.target_name) && isText(one.target_id),
  )

const isAdded = (item: JsonValue) =>
  isWired(item) &&
  isJsonObject(item) &&
  isText(item.node_id) &&
  (item.host_id === undefined || item.host_id === null || isText(item.host_id)) &&
  isListOf(item.scaling_groups, (one) => isJsonObject(one) && isText(one.id) && isText(one.name))

/** The deployment after the change. */
export function changedModel<Model extends Pick<DeploymentModel, 'nodeInstances'>>(
  model: Model,
  { added, rewired, removed }: NodeInstanceChange,
): Model {
  const gone = new Set(removed)
  const wired = new Map(rewired.map(({ id, relationships }) => [id, relationships]))
  const staying = model.nodeInstances
    .filter(({ id }) => !gone.has(id))
    .map((one) => ({ ...one, relationships: wired.get(one.id) ?? one.relationships }))
  const fresh = added.map((one) => ({ ...one, state: 'uninitialized', runtime_properties: {} }))
  return { ...model, nodeInstances: [...staying, ...fresh] }
}
