export { tenantHandlers } from './routes.ts'
