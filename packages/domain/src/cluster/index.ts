/**
 * How the manager and all others of its database are: status, managers, brokers, database nodes, the cluster of v3
 * (docs/reference/cluster-and-configuration.md).
 */

export { readClusterStatus } from './cluster-status.ts'
export { registerManager } from './registration.ts'
export {
  changeBroker,
  changeManager,
  createBroker,
  createManager,
  getManager,
  listBrokers,
  listDatabaseNodes,
  listManagers,
  removeBroker,
  removeManager,
  updateDatabaseNodes,
} from './service.ts'
export { readStatus } from './status.ts'
export { getClusterNode, listClusterNodes, notJoined, readClusterState, removeClusterNode } from './v3.ts'
