import { type JsonObject, sameJson } from '../json.ts'

/** One difference between a deployment and a new blueprint (docs/reference/plan.md, "Updates"). */
export type UpdateStep = {
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
