export { evaluationHandlers } from './routes.ts'
export { evaluatePayload, openEvaluation } from './service.ts'
