import { isContainedIn } from '../elements/relationship.ts'
import { type Json, type JsonObject, sameJson } from '../json.ts'
import { dictSteps, step, type UpdateStep } from './step.ts'

/** A node as the manager stores it, or as the plan has it; the parts that updates compare. */
export type StoredNodePlan = {
  readonly id: string
  readonly type: string
  readonly properties: JsonObject
  readonly operations: { readonly [name: string]: object }
  readonly plugins: readonly NamedPlugin[]
  readonly plugins_to_install?: readonly NamedPlugin[] | null
  readonly relationships: readonly StoredRelationshipPlan[]
}

type NamedPlugin = {
  readonly name: string
  readonly executor: string
}

export type StoredRelationshipPlan = {
  readonly type: string
  readonly target_id: string
  readonly type_hierarchy: readonly string[]
  readonly properties: JsonObject
  readonly source_operations: { readonly [name: string]: object }
  readonly target_operations: { readonly [name: string]: object }
}

/** Steps for a node that is there before and after (docs/reference/plan.md, "Updates"). */
export function nodeSteps(before: StoredNodePlan, after: StoredNodePlan): readonly UpdateStep[] {
  const path = ['nodes', after.id]
  const plugins = [
    ...pluginSteps(
      'plugins_to_install',
      after.id,
      before.plugins_to_install ?? [],
      after.plugins_to_install ?? [],
    ),
    ...pluginSteps('plugins', after.id, before.plugins, after.plugins),
  ]
  if (before.type !== after.type || containerOf(before) !== containerOf(after)) {
    return [...plugins, { ...step('modify', 'node', path), supported: false }]
  }
  return [
    ...plugins,
    ...dictSteps('operation', [...path, 'operations'], json(before.operations), json(after.operations)),
    ...relationshipSteps(before, after),
    ...dictSteps('property', [...path, 'properties'], before.properties, after.properties),
  ]
}

function json(operations: { readonly [name: string]: object }): JsonObject {
  return operations as unknown as JsonObject
}

function containerOf(node: StoredNodePlan): string | undefined {
  return node.relationships.find(({ type_hierarchy }) => isContainedIn(type_hierarchy))?.target_id
}

function pluginSteps(
  list: 'plugins' | 'plugins_to_install',
  node: string,
  before: readonly NamedPlugin[],
  after: readonly NamedPlugin[],
): readonly UpdateStep[] {
  return after.flatMap((plugin) => {
    const old = before.find(({ name, executor }) => name === plugin.name && executor === plugin.executor)
    if (old === undefined) return [step('add', 'plugin', [list, node, plugin.name])]
    const same = sameJson(old as unknown as Json, plugin as unknown as Json)
    return same ? [] : [step('modify', 'plugin', [list, node, plugin.name])]
  })
}

/** Counterparts have the same type and target; the n-th such relationship matches the n-th. */
function relationshipSteps(before: StoredNodePlan, after: StoredNodePlan): readonly UpdateStep[] {
  const path = ['nodes', after.id, 'relationships']
  const unmatched = new Map<string, number[]>()
  for (const [index, relationship] of before.relationships.entries()) {
    const key = keyOf(relationship)
    unmatched.set(key, [...(unmatched.get(key) ?? []), index])
  }
  const steps: UpdateStep[] = []
  for (const [index, relationship] of after.relationships.entries()) {
    const oldIndex = unmatched.get(keyOf(relationship))?.shift()
    const old = oldIndex === undefined ? undefined : before.relationships[oldIndex]
    if (old === undefined || oldIndex === undefined) {
      steps.push(step('add', 'relationship', [...path, index]))
      continue
    }
    if (oldIndex !== index) steps.push(step('modify', 'relationship', [...path, oldIndex, index]))
    for (const side of ['source_operations', 'target_operations'] as const) {
      steps.push(...dictSteps('operation', [...path, index, side], json(old[side]), json(relationship[side])))
    }
    const properties = dictSteps(
      'property',
      [...path, index, 'properties'],
      old.properties,
      relationship.properties,
    )
    steps.push(...properties.map((each) => ({ ...each, supported: false })))
  }
  for (const index of [...unmatched.values()].flat().sort((a, b) => a - b)) {
    steps.push(step('remove', 'relationship', [...path, index]))
  }
  return steps
}

function keyOf({ type, target_id }: StoredRelationshipPlan): string {
  return `${type}\n${target_id}`
}
