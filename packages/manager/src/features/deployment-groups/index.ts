/** Deployment groups: sets of deployments, with a blueprint and inputs for new ones (spec/rest-facts-a.md 8). */

export { lockMembers, visibleMembers } from './queries.ts'
export { deploymentGroupHandlers } from './routes.ts'
