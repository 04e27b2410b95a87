import type { Scope } from '@tutti/storage'
import { type EvaluatedTargets, evaluateTargets } from '../dependencies/index.ts'
import { type Evaluator, evaluatePayload, findEvaluation } from '../evaluation/index.ts'

/** What the functions among the dependencies of an execution's deployment name now, in the eyes of the scope. */
export const targetsNow = (
  evaluator: Evaluator,
  readScope: () => Promise<Scope>,
  execution: Parameters<typeof evaluateTargets>[1],
): Promise<EvaluatedTargets | undefined> =>
  evaluateTargets(evaluator.db, execution, async (deploymentId) => {
    const storage = await findEvaluation(evaluator, await readScope(), deploymentId)
    return storage && ((payload, context) => evaluatePayload(evaluator, payload, context, storage))
  })
