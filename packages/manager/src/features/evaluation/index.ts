export { evaluationHandlers } from './routes.ts'
export {
  evaluateConstraints,
  evaluatePayload,
  findEvaluation,
  objectFinder,
  openEvaluation,
} from './service.ts'
