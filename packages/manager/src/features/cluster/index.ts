/**
 * How the manager and all others of its database are: status, managers, brokers, database nodes, the cluster of v3
 * (docs/reference/cluster-and-configuration.md).
 */

export { registerManager } from './registration.ts'
export { clusterHandlers } from './routes.ts'
