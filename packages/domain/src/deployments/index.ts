/**
 * Deployments: a blueprint with inputs, its nodes and instances, and what runs on them (docs/reference/deployments.md).
 */

export { type Creation, createDeployment, createDeployments, type DeploymentToCreate } from './create.ts'
export { type DeleteOptions, startDeletion, startDeletions } from './delete.ts'
export { readCapabilities, readOutputs } from './outputs.ts'
export { deploymentResource } from './queries.ts'
export {
  amongDependencies,
  changeDeployment,
  getDeployment,
  listDeployments,
  listWorkflows,
  requireDeployment,
  setDeploymentSite,
  setDeploymentVisibility,
  withWorkdir,
} from './service.ts'
export { checkUnused } from './unused.ts'
