/**
 * Intrinsic functions evaluated on a deployment as it is now, for clients and for other features (spec/dsl.md 15.5).
 */

export { evaluationHandlers } from './routes.ts'
export {
  evaluateConstraints,
  evaluatePayload,
  findEvaluation,
  objectFinder,
  openEvaluation,
} from './service.ts'
