/**
 * Node instances: state and runtime properties of what a deployment consists of, changed under optimistic locking
 * (docs/reference/nodes-and-instances.md, "Node instances").
 */

export { changeNodeInstances } from './change-instances.ts'
export { insertPlannedInstances, nodeInstanceResource, takenInstanceIds } from './queries.ts'
export {
  changeNodeInstance,
  checkDeploymentUpdate,
  createNodeInstances,
  getNodeInstance,
  listNodeInstances,
  removeNodeInstance,
} from './service.ts'
export { setInstanceState } from './set-state.ts'
