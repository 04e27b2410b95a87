export { instancesActive, isAvailable } from './availability.ts'
export { readStatus } from './queries.ts'
export { executionHandlers } from './routes.ts'
