import { ApiError, type ErrorCode } from '@tutti/api'
import {
  type Budget,
  DslError,
  type EvaluationStorage,
  evaluateCapabilities,
  evaluateOutputs,
  type Json,
} from '@tutti/dsl'
import { type Request, tenantScope } from '../../request.ts'
import { openEvaluation, readingEvaluator } from '../evaluation/index.ts'
import { requireDeployment } from './service.ts'

type Declared = Readonly<Record<string, { readonly value: Json }>>

/**
 * The deployment's outputs with their functions evaluated now (docs/reference/deployments.md, "Outputs and
 * capabilities").
 */
export async function readOutputs(request: Request, id: string) {
  const { outputs } = await requireDeployment(request, request.services.db, id)
  const evaluated = await evaluate(request, id, 'deployment_outputs_evaluation_error', (...open) =>
    evaluateOutputs(outputs as Declared, ...open),
  )
  return { deployment_id: id, outputs: evaluated }
}

/** The same of its capabilities. @throws not_found_error, deployment_capabilities_evaluation_error */
export async function readCapabilities(request: Request, id: string) {
  const { capabilities } = await requireDeployment(request, request.services.db, id)
  const evaluated = await evaluate(request, id, 'deployment_capabilities_evaluation_error', (...open) =>
    evaluateCapabilities(capabilities as Declared, ...open),
  )
  return { deployment_id: id, capabilities: evaluated }
}

async function evaluate<T>(
  request: Request,
  id: string,
  code: ErrorCode,
  run: (storage: EvaluationStorage, budget: Budget) => Promise<T>,
): Promise<T> {
  const evaluator = readingEvaluator(request)
  const storage = await openEvaluation(evaluator, tenantScope(request), id)
  try {
    return await run(storage, evaluator.budget)
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    throw new ApiError(code, error.message, { cause: error })
  }
}
