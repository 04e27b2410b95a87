export { listTenantsOf } from './queries.ts'
export { tenantHandlers } from './routes.ts'
