import { DslError } from '../diagnostic.ts'
import type { EvaluationContext, EvaluationStorage, StoredNodeInstance } from '../runtime/storage.ts'
import { STEPS_OF_CALL, spendSteps } from './budget.ts'
import type { Call } from './call.ts'
import type { RunScope } from './definition.ts'

/** Thrown when a node has several instances and nothing tells which one is meant; outputs show it as text. */
export class AmbiguousInstance extends DslError {
  constructor(message: string) {
    super('FunctionEvaluationError', message)
  }
}

/** The instance of a named node that is meant from here (docs/reference/language/functions.md, "At run time"). */
export async function pickInstance(
  call: Call,
  node: string,
  { context, storage, budget }: Pick<RunScope, 'context' | 'storage' | 'budget'>,
): Promise<StoredNodeInstance> {
  const instances = await storage.nodeInstancesOf(node)
  const [first, second] = instances
  if (first === undefined) {
    throw new AmbiguousInstance(`${call.name}: node '${node}' has no instances.`)
  }
  if (second === undefined) return first
  // Each is looked at, with all that contain it.
  spendSteps(budget, call.name, instances.length * STEPS_OF_CALL)
  const picked =
    (await byRelationship(instances, node, context, storage)) ??
    (await byScalingGroup(instances, context, storage))
  if (picked !== null) return picked
  throw new AmbiguousInstance(
    `${call.name}: more than one node instance found for node '${node}': cannot decide which is meant.`,
  )
}

async function byRelationship(
  instances: readonly StoredNodeInstance[],
  node: string,
  context: EvaluationContext,
  storage: EvaluationStorage,
): Promise<StoredNodeInstance | null> {
  if (context.self === undefined) return null
  const self = await storage.nodeInstance(context.self)
  const targets = new Set(
    (self?.relationships ?? []).filter((r) => r.target_name === node).map((r) => r.target_id),
  )
  if (targets.size !== 1) return null
  return instances.find((instance) => targets.has(instance.id)) ?? null
}

/** The smallest scaling group shared by the context's instance and the node, if just one lies in the same copy. */
async function byScalingGroup(
  instances: readonly StoredNodeInstance[],
  context: EvaluationContext,
  storage: EvaluationStorage,
): Promise<StoredNodeInstance | null> {
  for (const id of [context.self, context.source, context.target]) {
    if (id === undefined) continue
    const here = await storage.nodeInstance(id)
    if (here === null) return null
    const own = await groupCopies(here, storage)
    const others = await Promise.all(instances.map((instance) => groupCopies(instance, storage)))
    const groups = new Set(others.flatMap((copies) => [...copies.keys()]))
    for (const [group, copy] of own) {
      if (!groups.has(group)) continue
      const inSame = instances.filter((_instance, index) => others[index]?.get(group) === copy)
      return inSame.length === 1 ? (inSame[0] ?? null) : null
    }
    return null
  }
  return null
}

/** Group name → group instance in which an instance lies, innermost first, containers included. */
async function groupCopies(
  instance: StoredNodeInstance,
  storage: EvaluationStorage,
): Promise<ReadonlyMap<string, string>> {
  const copies = new Map<string, string>()
  const seen = new Set<string>()
  let at: StoredNodeInstance | null = instance
  while (at !== null && !seen.has(at.id)) {
    seen.add(at.id)
    for (const { name, id } of at.scaling_groups) if (!copies.has(name)) copies.set(name, id)
    at = await containerOf(at, storage)
  }
  return copies
}

async function containerOf(
  instance: StoredNodeInstance,
  storage: EvaluationStorage,
): Promise<StoredNodeInstance | null> {
  const node = await storage.node(instance.node_id)
  const containment = node?.relationships.find((relationship) =>
    relationship.type_hierarchy.includes('cloudify.relationships.contained_in'),
  )
  if (containment === undefined) return null
  const edge = instance.relationships.find(({ target_name }) => target_name === containment.target_id)
  return edge === undefined ? null : storage.nodeInstance(edge.target_id)
}
