export { executionGroupHandlers } from './routes.ts'
