import type { Json } from '../json.ts'
import type { InputSchema } from '../plan/plan.ts'
import type { ObjectGetter } from './objects.ts'

export interface ParametersRequest {
  readonly workflow: string
  readonly schema: { readonly [name: string]: InputSchema }
  readonly given: { readonly [name: string]: Json }
  readonly allowCustomParameters: boolean
  readonly deploymentId: string | null
  readonly objects?: ObjectGetter
}

export type ParametersOutcome =
  | { readonly ok: true; readonly parameters: { readonly [name: string]: Json } }
  /** Every problem, worded as rest-facts-a 13. */
  | { readonly ok: false; readonly problems: readonly [string, ...string[]] }

/** Parameters of an execution: defaults, conversion, types, constraints (workflows.md 1.2). */
export function convertAndCheckParameters(_request: ParametersRequest): ParametersOutcome {
  throw new Error('convertAndCheckParameters is not built yet')
}
