/**
 * What the manager says of itself: its version, the provider context that clients leave with it, and to other servers
 * whether a request may see the monitoring (docs/reference/cluster-and-configuration.md, "Status").
 */

export { findProviderContext } from './queries.ts'
export { getProviderContext, setProviderContext, version } from './service.ts'
