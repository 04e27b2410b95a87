/**
 * Intrinsic functions evaluated on a deployment as it is now, for clients and for other features (spec/dsl.md 15.5).
 */

export { evaluationHandlers } from './routes.ts'
export {
  comparing,
  type Evaluator,
  evaluateConstraints,
  evaluatePayload,
  findEvaluation,
  objectFinder,
  openEvaluation,
  readingEvaluator,
  startingEvaluator,
} from './service.ts'
