import type { Plan, PlanNode } from '../plan/plan.ts'

/** Numbers of a stored node that an update keeps. */
export type StoredNumbers = {
  readonly id: string
  readonly number_of_instances: number
  readonly planned_number_of_instances: number
}

/**
 * The new blueprint's plan with the numbers of the nodes that exist already: the defaults of a scalable
 * capability are for new nodes only, while `instances.deploy` wins (docs/reference/plan.md, "Updates").
 */
export function withStoredInstances(plan: Plan, stored: readonly StoredNumbers[]): Plan {
  const byId = new Map(stored.map((node) => [node.id, node]))
  return {
    ...plan,
    nodes: plan.nodes.map((node): PlanNode => {
      const old = byId.get(node.id)
      if (old === undefined) return node
      const properties = {
        ...node.capabilities.scalable.properties,
        current_instances: old.number_of_instances,
        planned_instances: node.instances.deploy ?? old.planned_number_of_instances,
      }
      return { ...node, capabilities: { scalable: { properties } } }
    }),
  }
}
