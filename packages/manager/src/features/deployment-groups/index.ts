export { lockMembers, visibleMembers } from './queries.ts'
export { deploymentGroupHandlers } from './routes.ts'
