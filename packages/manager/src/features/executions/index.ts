export { readStatus } from './queries.ts'
export { executionHandlers } from './routes.ts'
