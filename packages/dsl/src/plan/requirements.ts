import type { PlacedCall } from '../functions/calls.ts'
import { isList, type Json } from '../json.ts'
import type { PlanRequirements } from './plan.ts'

/**
 * What a deployment of this plan will need from outside (docs/reference/plan.md, "Requirements"). Duplicates are kept.
 */
export function requirementsOf(calls: readonly PlacedCall[]): PlanRequirements {
  const capabilities: (readonly Json[])[] = []
  const secrets: Json[] = []
  for (const { call } of calls) {
    if (call.name === 'get_secret') secrets.push(call.argument)
    if (call.name === 'get_environment_capability') {
      capabilities.push(isList(call.argument) ? call.argument : [call.argument])
    }
  }
  return { parent_capabilities: capabilities, secrets }
}
