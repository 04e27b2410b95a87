export { listTenantsOf } from './queries.ts'
