export { operationHandlers } from './routes.ts'
