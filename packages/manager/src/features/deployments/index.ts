export { deploymentResource } from './queries.ts'
export { deploymentHandlers } from './routes.ts'
export { listDeployments, listWorkflows, requireDeployment } from './service.ts'
