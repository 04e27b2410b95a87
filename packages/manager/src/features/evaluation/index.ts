/**
 * Intrinsic functions evaluated on a deployment as it is now, for clients and for other features
 * (docs/reference/language/functions.md, "At run time").
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
