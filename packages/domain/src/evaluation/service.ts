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
import type { Database, Scope } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { objectsExist } from '../objects/index.ts'
import { comparedSecrets, type ReadSecret, shownSecrets, usedSecrets } from '../secrets/index.ts'
import { findEvaluatedDeployment } from './queries.ts'
import { deploymentStorage } from './storage.ts'

/** Whoever evaluates: which secrets it gets, and what all the functions of the request may cost together. */
export type Evaluator = {
  readonly db: Database
  readonly readSecret: ReadSecret
  readonly budget: Budget
}

/** Evaluates for somebody who reads the values. Made once for a request. */
export const readingEvaluator = (actor: Actor): Evaluator => ({
  db: actor.services.db,
  readSecret: shownSecrets(actor),
  budget: newBudget(),
})

/** Evaluates what an execution is started with. Made once for a request. */
export const startingEvaluator = (actor: Actor): Evaluator => ({
  db: actor.services.db,
  readSecret: usedSecrets(actor),
  budget: newBudget(),
})

/**
 * Evaluates in a worker: managers hold the key of secrets, workers do not. Nothing that a plan is made of needs the text
 * of one, and what takes one in the parameters of an execution was evaluated by the manager.
 */
export const evaluatorWithoutSecrets = (db: Database): Evaluator => ({
  db,
  async readSecret(_scope, key) {
    throw new ApiError(
      'unsupported_deployment_get_secret_error',
      `get_secret: ${key} cannot be used in the constraint of an input, nor in a capability that one names, nor to name a deployment that another one depends on, nor in what a parameter of an execution refers to`,
    )
  },
  budget: newBudget(),
})

/** What functions in the scope of a deployment read. @throws not_found_error when the scope does not show it */
export async function openEvaluation(
  evaluator: Pick<Evaluator, 'db' | 'readSecret'>,
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
  { db, readSecret }: Pick<Evaluator, 'db' | 'readSecret'>,
  scope: Scope,
  deploymentId: string,
  tenantName?: string,
): Promise<EvaluationStorage | undefined> {
  const deployment = await findEvaluatedDeployment(db, scope, deploymentId, tenantName)
  return deployment && deploymentStorage({ db, readSecret }, scope, deployment)
}

/** The same evaluation where values are compared and nobody sees them: constraints may take hidden secrets. */
export const comparingEvaluator = (actor: Actor, evaluator: Evaluator): Evaluator => ({
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

/**
 * Whether inputs and parameters name what there is; `blueprint`: the one that a deployment is being made from.
 *
 * @throws functions_evaluation_error, not_implemented
 */
export function objectFinder(
  { db, readSecret, budget }: Evaluator,
  scope: Scope,
  blueprint: { readonly tenantId: number; readonly id: string } | null = null,
): ObjectFinder {
  const capabilities = async (deploymentId: string) => {
    const found = await findEvaluatedDeployment(db, scope, deploymentId)
    if (found === undefined) return {}
    const storage = deploymentStorage({ db, readSecret }, scope, found)
    return evaluated(() => evaluateCapabilities(found.capabilities, storage, budget))
  }
  return (queries) => objectsExist({ db, scope, blueprint, capabilities }, queries)
}

async function evaluated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    throw new ApiError('functions_evaluation_error', error.message, { cause: error })
  }
}
