import { ApiError } from '@tutti/api'
import type { AvailabilityRules } from '@tutti/dsl'
import type { Database } from '@tutti/storage'
import { hasNodeOfType, instanceStates } from './queries.ts'

export type InstancesActive = 'all' | 'partial' | 'none'

/**
 * How active a deployment is, from the distinct states of its instances (spec/workflows.md 1.2). The names overlap:
 * no instances at all are both `all` and `none`.
 */
export function instancesActive(states: readonly string[]): ReadonlySet<InstancesActive> {
  const active = new Set<InstancesActive>()
  if (states.every((state) => state === 'started')) active.add('all')
  if (!states.includes('started')) active.add('none')
  const isPartial =
    states.some((state) => state !== 'started') &&
    states.some((state) => state !== 'uninitialized' && state !== 'deleted')
  if (isPartial) active.add('partial')
  return active
}

/** Whether the rules hold; those about node types are the caller's. */
export function isAvailable(rules: AvailabilityRules | null, active: ReadonlySet<InstancesActive>): boolean {
  if (rules === null) return true
  if (rules.available === false) return false
  const wanted = rules.node_instances_active
  return wanted === undefined || wanted.some((one) => active.has(one as InstancesActive))
}

/** The error that a violated rule gives, or undefined. */
export async function checkAvailability(
  db: Database,
  deployment: { readonly tenant_id: number; readonly id: string },
  workflowId: string,
  rules: AvailabilityRules | null,
): Promise<ApiError | undefined> {
  if (rules === null) return undefined
  const unavailable = (why: string, hint: string) =>
    new ApiError(
      'unavailable_workflow_error',
      `Workflow ${workflowId} is not available for deployment ${deployment.id}: ${why}`,
      {
        hint,
      },
    )
  if (rules.available === false)
    return unavailable('it is switched off', 'Pass force=true to run it all the same')
  if (rules.node_instances_active !== undefined) {
    const active = instancesActive(await instanceStates(db, deployment.tenant_id, deployment.id))
    if (!isAvailable(rules, active)) {
      return unavailable(
        `it needs active node instances: ${rules.node_instances_active.join(' or ')}, but ${describe(active)}`,
        'Pass force=true to run it all the same',
      )
    }
  }
  const types = rules.node_types_required
  if (types !== undefined && !(await hasNodeOfType(db, deployment.tenant_id, deployment.id, types))) {
    return unavailable(
      `it needs a node of type ${types.join(' or ')}`,
      'Pass force=true to run it all the same',
    )
  }
  return undefined
}

function describe(active: ReadonlySet<InstancesActive>): string {
  if (active.has('all')) return 'all of them are started'
  if (active.has('none')) return 'none of them is started'
  return 'only some of them are started'
}
