import type { DslError } from '../diagnostic.ts'
import type { Json } from '../json.ts'
import type { InputSchema } from '../plan/plan.ts'
import type { ObjectGetter } from './objects.ts'

export interface ConstraintRequest {
  readonly name: string
  readonly value: Json
  readonly schema: InputSchema
  readonly deploymentId: string | null
  readonly objects?: ObjectGetter
}

/** The first constraint that `value` violates, per element where there is an `item_type` (dsl.md 7). */
export function checkConstraints(_request: ConstraintRequest): DslError | null {
  throw new Error('checkConstraints is not built yet')
}
