import { tenantScope } from '@tutti/domain'
import type { EvaluationContext } from '@tutti/domain/evaluation'
import { evaluatePayload, openEvaluation, readingEvaluator } from '@tutti/domain/evaluation'
import type { Handlers } from '../../request.ts'

/** docs/reference/deployments.md, "Evaluation of functions"; docs/reference/language/functions.md, "At run time" */
export const evaluationHandlers = {
  async 'functions.evaluate'(request) {
    const { deployment_id, context, payload } = request.body
    const evaluator = readingEvaluator(request)
    const storage = await openEvaluation(evaluator, tenantScope(request), deployment_id)
    const value = await evaluatePayload(evaluator, payload, contextOf(context ?? {}), storage)
    return { deployment_id, payload: value }
  },
} satisfies Partial<Handlers>

const contextKeys = ['self', 'source', 'target', 'source_node', 'target_node'] as const

/** Clients send more than is needed, and null for what they have not. */
function contextOf(given: Readonly<Record<string, unknown>>): EvaluationContext {
  return Object.fromEntries(
    contextKeys.flatMap((key) => (typeof given[key] === 'string' ? [[key, given[key]]] : [])),
  )
}
