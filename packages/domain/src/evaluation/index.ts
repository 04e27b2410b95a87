/**
 * Intrinsic functions evaluated on a deployment as it is now, for clients and for other features
 * (docs/reference/language/functions.md, "At run time").
 */

export type { EvaluationContext } from '@tutti/dsl'
export { type EvaluatedDeployment, findEvaluatedDeployment } from './queries.ts'
export {
  comparingEvaluator,
  type Evaluator,
  evaluateConstraints,
  evaluatePayload,
  evaluatorWithoutSecrets,
  findEvaluation,
  objectFinder,
  openEvaluation,
  readingEvaluator,
  startingEvaluator,
} from './service.ts'
export { deploymentStorage } from './storage.ts'
