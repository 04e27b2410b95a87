export { registerManager } from './registration.ts'
export { clusterHandlers } from './routes.ts'
