/**
 * Deployments: a blueprint with inputs, its nodes and instances, and what runs on them (docs/reference/deployments.md).
 */

export { type Creation, createDeployments, type DeploymentToCreate } from './create.ts'
export { type DeleteOptions, startDeletions } from './delete.ts'
export { deploymentResource } from './queries.ts'
export { deploymentHandlers } from './routes.ts'
export {
  amongDependencies,
  listDeployments,
  listWorkflows,
  requireDeployment,
} from './service.ts'
