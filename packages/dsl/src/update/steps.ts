import { isObject, type Json, type JsonObject, sameJson } from '../json.ts'
import { nodeSteps, type StoredNodePlan } from './node-steps.ts'
import { orderedSteps, topologyOrder } from './order.ts'

/** One difference between a deployment and a new blueprint (plan.md 10.2). */
export interface UpdateStep {
  readonly action: 'add' | 'remove' | 'modify'
  readonly entity_type: EntityType
  readonly entity_id: readonly string[]
  readonly topology_order: number
  /** One that is not stops the update before anything changes. */
  readonly supported: boolean
}

export type EntityType =
  | 'node'
  | 'relationship'
  | 'property'
  | 'operation'
  | 'workflow'
  | 'output'
  | 'description'
  | 'group'
  | 'policy_type'
  | 'policy_trigger'
  | 'plugin'

/** What is compared, of the stored deployment and of the new deployment plan. */
export interface Updatable {
  readonly description: string | null
  readonly nodes: readonly StoredNodePlan[]
  readonly outputs: JsonObject | { readonly [name: string]: object }
  readonly workflows: JsonObject | { readonly [name: string]: object }
  readonly groups: { readonly [name: string]: { readonly members: readonly string[] } }
}

/** The steps of a deployment update, in the order in which they run (plan.md 10.2, 10.3). */
export function deploymentUpdateSteps(before: Updatable, after: Updatable): readonly UpdateStep[] {
  const steps: UpdateStep[] = []
  if (before.description !== after.description) {
    steps.push(step('modify', 'description', ['description']))
  }
  const old = new Map(before.nodes.map((node) => [node.id, node]))
  const added = after.nodes.filter((node) => !old.has(node.id))
  const positions = topologyOrder(added)
  for (const node of after.nodes) {
    const previous = old.get(node.id)
    if (previous === undefined) {
      steps.push({ ...step('add', 'node', ['nodes', node.id]), topology_order: positions.get(node.id) ?? 0 })
    } else steps.push(...nodeSteps(previous, node))
  }
  const kept = new Set(after.nodes.map((node) => node.id))
  for (const node of before.nodes) {
    if (!kept.has(node.id)) steps.push(step('remove', 'node', ['nodes', node.id]))
  }
  steps.push(...dictSteps('output', ['outputs'], asJson(before.outputs), asJson(after.outputs)))
  steps.push(...dictSteps('workflow', ['workflows'], asJson(before.workflows), asJson(after.workflows)))
  const groupSteps = dictSteps('group', ['groups'], memberSets(before.groups), memberSets(after.groups))
  steps.push(...groupSteps.map((each) => ({ ...each, supported: false })))
  return orderedSteps(steps)
}

export function step(
  action: UpdateStep['action'],
  entityType: EntityType,
  entityId: readonly (string | number)[],
): UpdateStep {
  return {
    action,
    entity_type: entityType,
    entity_id: entityId.map(String),
    topology_order: 0,
    supported: true,
  }
}

/** Steps for the members of a dict that came, went or changed. */
export function dictSteps(
  entityType: EntityType,
  path: readonly (string | number)[],
  before: JsonObject,
  after: JsonObject,
): readonly UpdateStep[] {
  const steps: UpdateStep[] = []
  for (const [name, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, name)) steps.push(step('add', entityType, [...path, name]))
    else if (!sameJson(before[name], value)) steps.push(step('modify', entityType, [...path, name]))
  }
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) steps.push(step('remove', entityType, [...path, name]))
  }
  return steps
}

function asJson(value: object): JsonObject {
  const json = value as Json
  return isObject(json) ? json : {}
}

function memberSets(groups: Updatable['groups']): JsonObject {
  return Object.fromEntries(
    Object.entries(groups).map(([name, { members }]) => [name, [...new Set(members)].sort()]),
  )
}

/**
 * What is passed to custom update workflows (plan.md 10.6): entity type → second path elements; for relationships
 * node → fourth elements.
 */
export function modifiedEntityIds(steps: readonly UpdateStep[]): { readonly [type: string]: Json } {
  const ids: { [type: string]: string[] } = {}
  const relationships: { [node: string]: string[] } = {}
  for (const type of ENTITY_TYPES) if (type !== 'relationship') ids[type] = []
  for (const { entity_type: type, entity_id: id } of steps) {
    const [, second, , fourth] = id
    if (type === 'relationship') {
      if (second !== undefined && fourth !== undefined)
        relationships[second] = [...(relationships[second] ?? []), fourth]
    } else if (second !== undefined && !ids[type]?.includes(second)) ids[type]?.push(second)
  }
  return { ...ids, relationship: relationships, rel_mappings: {} }
}

const ENTITY_TYPES: readonly EntityType[] = [
  'node',
  'relationship',
  'property',
  'operation',
  'workflow',
  'output',
  'description',
  'group',
  'policy_type',
  'policy_trigger',
  'plugin',
]
