/**
 * Deployment modifications: how many instances a deployment's nodes and scaling groups have is changed in two steps,
 * between which a workflow installs what is added and uninstalls what is removed
 * (docs/reference/deployment-modifications.md).
 */

export { currentCount } from './counts.ts'
export { finishModification, rollbackModification } from './end.ts'
export {
  findApplying,
  findModificationOf,
  findStartedModification,
  readScalable,
  type ScalableCounts,
} from './queries.ts'
export {
  endDeploymentModification,
  getDeploymentModification,
  listDeploymentModifications,
  startDeploymentModification,
  verifyDeployment,
} from './service.ts'
export { startModification } from './start.ts'
export { whatDisagrees } from './verify.ts'
