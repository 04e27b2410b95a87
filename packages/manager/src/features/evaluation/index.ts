export { evaluationHandlers } from './routes.ts'
export { evaluateConstraints, evaluatePayload, objectFinder, openEvaluation } from './service.ts'
