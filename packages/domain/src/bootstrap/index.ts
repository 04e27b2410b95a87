export { adminPasswordFile, bootstrap } from './bootstrap.ts'
export { bootstrapAdmin, defaultTenant } from './first.ts'
