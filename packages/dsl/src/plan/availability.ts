import type { AvailabilityRules } from './plan.ts'

/** What availability depends on: distinct states of the deployment's instances, and its nodes' types with their bases. */
export type DeploymentState = {
  readonly instanceStates: readonly string[]
  readonly nodeTypes: readonly string[]
}

type InstancesActive = 'all' | 'partial' | 'none'

/**
 * How active a deployment is, from the distinct states of its instances (docs/reference/executions.md, "Availability").
 * The names overlap: no instances at all are both `all` and `none`.
 */
function instancesActive(states: readonly string[]): ReadonlySet<InstancesActive> {
  const active = new Set<InstancesActive>()
  if (states.every((state) => state === 'started')) active.add('all')
  if (!states.includes('started')) active.add('none')
  const isPartial =
    states.some((state) => state !== 'started') &&
    states.some((state) => state !== 'uninitialized' && state !== 'deleted')
  if (isPartial) active.add('partial')
  return active
}

/**
 * Why a workflow with these rules cannot be run now; undefined when it can (docs/reference/executions.md,
 * "Availability"). What was recorded elsewhere may say nothing of rules.
 */
export function whyUnavailable(
  rules: AvailabilityRules | null | undefined,
  state: DeploymentState,
): string | undefined {
  if (rules == null) return undefined
  if (rules.available === false) return 'it is switched off'
  // An empty list asks for nothing, as if it were not there.
  const wanted = rules.node_instances_active ?? []
  const active = instancesActive(state.instanceStates)
  if (wanted.length > 0 && !wanted.some((one) => active.has(one as InstancesActive))) {
    return `it needs active node instances: ${wanted.join(' or ')}, but ${describe(active)}`
  }
  const types = rules.node_types_required ?? []
  if (types.length > 0 && !types.some((type) => state.nodeTypes.includes(type))) {
    return `it needs a node of type ${types.join(' or ')}`
  }
  return undefined
}

function describe(active: ReadonlySet<InstancesActive>): string {
  if (active.has('all')) return 'all of them are started'
  if (active.has('none')) return 'none of them is started'
  return 'only some of them are started'
}
