import { ApiError, type ErrorCode } from '@tutti/api'
import {
  type Budget,
  DslError,
  type EvaluationStorage,
  evaluateCapabilities,
  evaluateOutputs,
  type Json,
} from '@tutti/dsl'
import { type Actor, tenantScope } from '../actor.ts'
import { openEvaluation, readingEvaluator } from '../evaluation/index.ts'
import { requireDeployment } from './service.ts'

type Declared = Readonly<Record<string, { readonly value: Json }>>

/**
 * The deployment's outputs with their functions evaluated now (docs/reference/deployments.md, "Outputs and
 * capabilities").
 */
export async function readOutputs(actor: Actor, id: string) {
  const { outputs } = await requireDeployment(actor, actor.services.db, id)
  const evaluated = await evaluate(actor, id, 'deployment_outputs_evaluation_error', (...open) =>
    evaluateOutputs(outputs as Declared, ...open),
  )
  return { deployment_id: id, outputs: evaluated }
}

/** The same of its capabilities. @throws not_found_error, deployment_capabilities_evaluation_error */
export async function readCapabilities(actor: Actor, id: string) {
  const { capabilities } = await requireDeployment(actor, actor.services.db, id)
  const evaluated = await evaluate(actor, id, 'deployment_capabilities_evaluation_error', (...open) =>
    evaluateCapabilities(capabilities as Declared, ...open),
  )
  return { deployment_id: id, capabilities: evaluated }
}

async function evaluate<T>(
  actor: Actor,
  id: string,
  code: ErrorCode,
  run: (storage: EvaluationStorage, budget: Budget) => Promise<T>,
): Promise<T> {
  const evaluator = readingEvaluator(actor)
  const storage = await openEvaluation(evaluator, tenantScope(actor), id)
  try {
    return await run(storage, evaluator.budget)
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    throw new ApiError(code, error.message, { cause: error })
  }
}
