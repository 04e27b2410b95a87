import { isObject, type Json, type JsonObject } from '../json.ts'
import { nodeSteps, type StoredNodePlan } from './node-steps.ts'
import { orderedSteps, topologyOrder } from './order.ts'
import { dictSteps, type EntityType, step, type UpdateStep } from './step.ts'

/** What is compared, of the stored deployment and of the new deployment plan. */
export type Updatable = {
  readonly description: string | null
  readonly nodes: readonly StoredNodePlan[]
  readonly outputs: JsonObject | { readonly [name: string]: object }
  readonly workflows: JsonObject | { readonly [name: string]: object }
  readonly groups: { readonly [name: string]: { readonly members: readonly string[] } }
}

/** The steps of a deployment update, in the order in which they run (docs/reference/plan.md, "Updates"). */
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
 * What is passed to custom update workflows (docs/reference/plan.md, "Updates"): entity type → second path elements;
 * for relationships node → fourth elements.
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
