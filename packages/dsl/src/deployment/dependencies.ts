import { DslError } from '../diagnostic.ts'
import { isCall } from '../functions/call.ts'
import { callsOf } from '../functions/calls.ts'
import type { Scope } from '../functions/places.ts'
import { isList, type Json } from '../json.ts'
import type { InterDeploymentFunction, Plan, PlannedNodeInstance } from '../plan/plan.ts'

/** Each is a dependency of the deployment: a row of its own. */
const MOST_FUNCTIONS = 20_000

/**
 * One entry for each `get_capability`, and in nodes and relationships for each instance (docs/reference/plan.md,
 * "Deployment plan").
 */
export function interDeploymentFunctions(
  plan: Plan,
  instances: readonly PlannedNodeInstance[],
): readonly InterDeploymentFunction[] {
  const byNode = new Map<string, PlannedNodeInstance[]>()
  for (const instance of instances) {
    const siblings = byNode.get(instance.node_id) ?? []
    siblings.push(instance)
    byNode.set(instance.node_id, siblings)
  }
  const functions: InterDeploymentFunction[] = []
  for (const { call, place, path } of callsOf(plan)) {
    if (call.name !== 'get_capability') continue
    const first: Json = isList(call.argument) ? (call.argument[0] ?? null) : call.argument
    for (const context of contextsOf(place.scope, byNode)) {
      if (functions.length === MOST_FUNCTIONS) {
        throw new DslError(
          'ValueError',
          `The instances of the deployment call get_capability in more than ${MOST_FUNCTIONS} places.`,
        )
      }
      functions.push({
        function_identifier: `${path}.get_capability`,
        target_deployment: [isCall(first) ? null : String(first), first],
        context,
      })
    }
  }
  return functions
}

function contextsOf(
  scope: Scope,
  byNode: ReadonlyMap<string, readonly PlannedNodeInstance[]>,
): readonly InterDeploymentFunction['context'][] {
  switch (scope.kind) {
    case 'node':
      return (byNode.get(scope.node) ?? []).map(({ id }) => ({ self: id }))
    case 'relationship':
      return (byNode.get(scope.source) ?? []).flatMap((source) => {
        const edge = source.relationships.find(
          ({ type, target_name }) => type === scope.type && target_name === scope.target,
        )
        return edge === undefined ? [] : [{ self: source.id, source: source.id, target: edge.target_id }]
      })
    default:
      return [{}]
  }
}
