import { ApiError, notFound } from '@tutti/api'
import {
  DslError,
  type EvaluationContext,
  type EvaluationStorage,
  evaluateCapabilities,
  evaluatedConstraints,
  evaluateFunctions,
  type InputSchema,
  type Json,
  type ObjectQuery,
} from '@tutti/dsl'
import { deploymentStorage, findEvaluatedDeployment, objectsExist, type Scope } from '@tutti/storage'
import type { Services } from '../../services.ts'
import { readSecretValue } from '../secrets/index.ts'

/** What functions in the scope of a deployment read. @throws not_found_error when the scope does not show it */
export async function openEvaluation(
  services: Services,
  scope: Scope,
  deploymentId: string,
  tenantName?: string,
): Promise<EvaluationStorage> {
  const storage = await findEvaluation(services, scope, deploymentId, tenantName)
  if (storage === undefined) throw notFound('Deployment', deploymentId)
  return storage
}

/** The same; undefined when the scope does not show the deployment. */
export async function findEvaluation(
  services: Services,
  scope: Scope,
  deploymentId: string,
  tenantName?: string,
): Promise<EvaluationStorage | undefined> {
  const deployment = await findEvaluatedDeployment(services.db, scope, deploymentId, tenantName)
  return deployment && deploymentStorage(sourcesOf(services), scope, deployment)
}

const sourcesOf = (services: Services) => ({
  db: services.db,
  readSecret: (within: Scope, key: string) => readSecretValue(services, within, key),
})

/** The payload with its functions replaced by their values. @throws functions_evaluation_error */
export async function evaluatePayload(
  payload: unknown,
  context: EvaluationContext,
  storage: EvaluationStorage,
): Promise<Json> {
  return evaluated(() => evaluateFunctions(payload as Json, context, storage))
}

type ObjectFinder = (queries: readonly ObjectQuery[]) => Promise<readonly boolean[]>
type Schemas = Readonly<Record<string, InputSchema>>

/** Parameters whose constraints hold values instead of functions. @throws functions_evaluation_error */
export async function evaluateConstraints(schemas: Schemas, storage: EvaluationStorage): Promise<Schemas> {
  return evaluated(() => evaluatedConstraints(schemas, storage))
}

/** Whether parameters name what there is. @throws functions_evaluation_error, not_implemented */
export function objectFinder(services: Services, scope: Scope): ObjectFinder {
  const capabilities = async (deploymentId: string) => {
    const found = await findEvaluatedDeployment(services.db, scope, deploymentId)
    if (found === undefined) return {}
    const storage = deploymentStorage(sourcesOf(services), scope, found)
    return evaluated(() => evaluateCapabilities(found.capabilities, storage))
  }
  return (queries) => objectsExist({ db: services.db, scope, blueprint: null, capabilities }, queries)
}

async function evaluated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    throw new ApiError('functions_evaluation_error', error.message, { cause: error })
  }
}
