/**
 * Node instances: state and runtime properties of what a deployment consists of, changed under optimistic locking
 * (docs/reference/nodes-and-instances.md, "Node instances").
 */

export { changeNodeInstances } from './change-instances.ts'
export { lockDeploymentOf } from './change-queries.ts'
export { insertPlannedInstances, nodeInstanceResource, takenInstanceIds } from './queries.ts'
export { randomId } from './random-id.ts'
export { type InstanceRecord, readInstanceRecords, restoreInstances } from './record-queries.ts'
export {
  changeNodeInstance,
  checkDeploymentUpdate,
  createNodeInstances,
  getNodeInstance,
  listNodeInstances,
  removeNodeInstance,
} from './service.ts'
export { setInstanceState } from './set-state.ts'
export { setSystemProperties } from './set-system-properties.ts'
