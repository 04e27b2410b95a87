/**
 * Deployment groups: sets of deployments, with a blueprint and inputs for new ones (docs/reference/groups.md,
 * "Deployment groups").
 */

export { lockMembers, visibleMembers } from './queries.ts'
export { deploymentGroupHandlers } from './routes.ts'
