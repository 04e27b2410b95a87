import { eachCall } from '../functions/check.ts'
import { eachPlace } from '../functions/places.ts'
import { isList, type Json } from '../json.ts'
import type { Plan, PlanRequirements } from './plan.ts'

/** What a deployment of this plan will need from outside (plan.md 1.1). Duplicates are kept. */
export function requirementsOf(plan: Plan): PlanRequirements {
  const capabilities: (readonly Json[])[] = []
  const secrets: Json[] = []
  eachPlace(plan, (value, place) => {
    eachCall(value, place.path, (call) => {
      if (call.name === 'get_secret') secrets.push(call.argument)
      if (call.name === 'get_environment_capability') {
        capabilities.push(isList(call.argument) ? call.argument : [call.argument])
      }
    })
  })
  return { parent_capabilities: capabilities, secrets }
}
