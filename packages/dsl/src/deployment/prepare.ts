import type { DslError } from '../diagnostic.ts'
import type { Json } from '../json.ts'
import type { DeploymentPlan, Plan } from '../plan/plan.ts'
import type { ObjectGetter } from '../types/objects.ts'

export interface DeploymentPlanRequest {
  readonly plan: Plan
  readonly inputs: { readonly [name: string]: Json }
  readonly runtimeOnlyEvaluation?: boolean
  readonly autoCorrectTypes?: boolean
  /** Six characters of `a-z0-9`. */
  readonly randomId: () => string
  /** Without it any `get_secret` is an UnsupportedGetSecretError. */
  readonly secretExists?: (key: string) => boolean
  /** Without it objects are not looked up. See `withObjects` for answers that take time. */
  readonly objects?: ObjectGetter
  /** The deployment that exists already, for an update. */
  readonly deploymentId?: string
}

export type DeploymentPlanOutcome =
  | { readonly ok: true; readonly deploymentPlan: DeploymentPlan }
  | { readonly ok: false; readonly error: DslError }

/** A plan made ready for one deployment (plan.md 7). Never throws for a user's mistake. */
export function createDeploymentPlan(_request: DeploymentPlanRequest): DeploymentPlanOutcome {
  throw new Error('createDeploymentPlan is not built yet')
}
