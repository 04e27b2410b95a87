export { type Creation, createDeployments, type DeploymentToCreate } from './create.ts'
export { deploymentResource } from './queries.ts'
export { deploymentHandlers } from './routes.ts'
export {
  amongDependencies,
  type DeleteOptions,
  listDeployments,
  listWorkflows,
  requireDeployment,
  startDeletions,
} from './service.ts'
