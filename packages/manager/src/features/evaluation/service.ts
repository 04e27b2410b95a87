import { ApiError, notFound } from '@tutti/api'
import {
  DslError,
  type EvaluationContext,
  type EvaluationStorage,
  evaluateFunctions,
  type Json,
} from '@tutti/dsl'
import { deploymentStorage, findEvaluatedDeployment, type Scope } from '@tutti/storage'
import type { Services } from '../../services.ts'

/** What functions in the scope of a deployment read. @throws not_found_error when the scope does not show it */
export async function openEvaluation(
  { db }: Services,
  scope: Scope,
  deploymentId: string,
  tenantName?: string,
): Promise<EvaluationStorage> {
  const deployment = await findEvaluatedDeployment(db, scope, deploymentId, tenantName)
  if (deployment === undefined) throw notFound('Deployment', deploymentId)
  return deploymentStorage(db, scope, deployment)
}

/** The payload with its functions replaced by their values. @throws functions_evaluation_error */
export async function evaluatePayload(
  payload: unknown,
  context: EvaluationContext,
  storage: EvaluationStorage,
): Promise<Json> {
  try {
    return await evaluateFunctions(payload as Json, context, storage)
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    throw new ApiError('functions_evaluation_error', error.message, { cause: error })
  }
}
