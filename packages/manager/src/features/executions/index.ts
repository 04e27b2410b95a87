export { type DeploymentState, whyUnavailable } from './availability.ts'
export { executionResource, readStatus } from './queries.ts'
export { executionHandlers } from './routes.ts'
