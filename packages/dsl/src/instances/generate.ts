import { DslError } from '../diagnostic.ts'
import { PLANNING_LIMITS } from '../functions/budget.ts'
import type { Json } from '../json.ts'
import type { Plan, PlannedNodeInstance } from '../plan/plan.ts'
import { expand, idMaker, refuseTooMany } from './expand.ts'
import { topologyOf } from './topology.ts'
import { wiredInstances } from './wire.ts'

type Planned = Pick<Plan, 'nodes' | 'scaling_groups' | 'groups'>

/**
 * The instances of a new deployment (docs/reference/plan.md, "Node instances"). `randomId` gives six characters of
 * `a-z0-9`. Throws `BudgetExceeded` when nodes and groups together have more than `most`.
 */
export function generateNodeInstances(
  plan: Planned,
  randomId: () => string,
  most = PLANNING_LIMITS.instances,
): readonly PlannedNodeInstance[] {
  const topology = topologyOf(plan.nodes, plan.scaling_groups, plan.groups)
  const counts = new Map<string, number>()
  for (const node of plan.nodes) {
    counts.set(node.name, countOf(node.name, node.capabilities.scalable.properties.current_instances))
  }
  for (const [name, group] of Object.entries(plan.scaling_groups)) {
    counts.set(name, countOf(name, group.properties.current_instances))
  }
  refuseTooMany(topology, (name) => counts.get(name) ?? 0, most)
  const tree = expand({
    topology,
    plan: (name) => ({ kept: [], total: counts.get(name) ?? 0 }),
    oldUnder: () => [],
    newId: idMaker(randomId, []),
  })
  return wiredInstances(topology, tree)
}

function countOf(name: string, value: Json): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw new DslError(
    'FunctionEvaluationError',
    `The number of instances of '${name}' is ${JSON.stringify(value)}, but must be zero or a positive integer.`,
  )
}
