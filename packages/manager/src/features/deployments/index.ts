export { deploymentHandlers } from './routes.ts'
export { requireDeployment } from './service.ts'
