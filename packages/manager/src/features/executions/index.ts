export { type DeploymentState, whyUnavailable } from './availability.ts'
export { readStatus } from './queries.ts'
export { executionHandlers } from './routes.ts'
