import { ApiError } from '@tutti/api'
import { scopeOf } from '@tutti/domain'
import { type EvaluatedTargets, evaluateTargets } from '@tutti/domain/dependencies'
import { deploymentStorage, findEvaluatedDeployment } from '@tutti/domain/evaluation'
import { DslError, evaluateFunctions, newBudget } from '@tutti/dsl'
import type { ExecutionRow } from '@tutti/storage'
import type { WorkerServices } from '../services.ts'
import { readSecret } from './environment-answers.ts'

/** What the functions among the deployment's dependencies name, as whoever started the execution sees it. */
export const targetsOf = (
  { db }: WorkerServices,
  execution: ExecutionRow,
): Promise<EvaluatedTargets | undefined> =>
  evaluateTargets(db, execution, async (deploymentId) => {
    const scope = await scopeOf(db, execution.tenant_id, execution.created_by)
    const deployment = await findEvaluatedDeployment(db, scope, deploymentId)
    if (deployment === undefined) return undefined
    const storage = deploymentStorage({ db, readSecret }, scope, deployment)
    const budget = newBudget()
    return async (payload, context) => {
      try {
        return await evaluateFunctions(payload, context, storage, budget)
      } catch (error) {
        if (!(error instanceof DslError)) throw error
        throw new ApiError('functions_evaluation_error', error.message, { cause: error })
      }
    }
  })
