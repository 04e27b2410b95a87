import { ApiError, notFound } from '@tutti/api'
import {
  type Budget,
  DslError,
  type EvaluationContext,
  type EvaluationStorage,
  evaluateCapabilities,
  evaluatedConstraints,
  evaluateFunctions,
  type InputSchema,
  type Json,
  newBudget,
  type ObjectQuery,
} from '@tutti/dsl'
import type { Scope } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { objectsExist } from '../objects/index.ts'
import { comparedSecrets, type ReadSecret, shownSecrets, usedSecrets } from '../secrets/index.ts'
import type { Services } from '../services.ts'
import { findEvaluatedDeployment } from './queries.ts'
import { deploymentStorage } from './storage.ts'

/** Whoever evaluates: which secrets it gets, and what all the functions of the request may cost together. */
export type Evaluator = {
  readonly services: Services
  readonly readSecret: ReadSecret
  readonly budget: Budget
}

/** Evaluates for somebody who reads the values. Made once for a request. */
export const readingEvaluator = (actor: Actor): Evaluator => ({
  services: actor.services,
  readSecret: shownSecrets(actor),
  budget: newBudget(),
})

/** Evaluates what an execution is started with. Made once for a request. */
export const startingEvaluator = (actor: Actor): Evaluator => ({
  services: actor.services,
  readSecret: usedSecrets(actor),
  budget: newBudget(),
})

/** What functions in the scope of a deployment read. @throws not_found_error when the scope does not show it */
export async function openEvaluation(
  evaluator: Pick<Evaluator, 'services' | 'readSecret'>,
  scope: Scope,
  deploymentId: string,
  tenantName?: string,
): Promise<EvaluationStorage> {
  const storage = await findEvaluation(evaluator, scope, deploymentId, tenantName)
  if (storage === undefined) throw notFound('Deployment', deploymentId)
  return storage
}

/** The same; undefined when the scope does not show the deployment. */
export async function findEvaluation(
  { services, readSecret }: Pick<Evaluator, 'services' | 'readSecret'>,
  scope: Scope,
  deploymentId: string,
  tenantName?: string,
): Promise<EvaluationStorage | undefined> {
  const deployment = await findEvaluatedDeployment(services.db, scope, deploymentId, tenantName)
  return deployment && deploymentStorage({ db: services.db, readSecret }, scope, deployment)
}

/** The same evaluation where values are compared and nobody sees them: constraints may take hidden secrets. */
export const comparing = (actor: Actor, evaluator: Evaluator): Evaluator => ({
  ...evaluator,
  readSecret: comparedSecrets(actor),
})

/** The payload with its functions replaced by their values. @throws functions_evaluation_error */
export async function evaluatePayload(
  { budget }: Evaluator,
  payload: unknown,
  context: EvaluationContext,
  storage: EvaluationStorage,
): Promise<Json> {
  return evaluated(() => evaluateFunctions(payload as Json, context, storage, budget))
}

type ObjectFinder = (queries: readonly ObjectQuery[]) => Promise<readonly boolean[]>
type Schemas = Readonly<Record<string, InputSchema>>

/** Parameters whose constraints hold values instead of functions. @throws functions_evaluation_error */
export async function evaluateConstraints(
  { budget }: Evaluator,
  schemas: Schemas,
  storage: EvaluationStorage,
): Promise<Schemas> {
  return evaluated(() => evaluatedConstraints(schemas, storage, budget))
}

/** Whether parameters name what there is. @throws functions_evaluation_error, not_implemented */
export function objectFinder({ services, readSecret, budget }: Evaluator, scope: Scope): ObjectFinder {
  const { db } = services
  const capabilities = async (deploymentId: string) => {
    const found = await findEvaluatedDeployment(db, scope, deploymentId)
    if (found === undefined) return {}
    const storage = deploymentStorage({ db, readSecret }, scope, found)
    return evaluated(() => evaluateCapabilities(found.capabilities, storage, budget))
  }
  return (queries) => objectsExist({ db, scope, blueprint: null, capabilities }, queries)
}

async function evaluated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    throw new ApiError('functions_evaluation_error', error.message, { cause: error })
  }
}
