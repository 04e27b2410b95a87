/**
 * Deployment groups: sets of deployments, with a blueprint and inputs for new ones (docs/reference/groups.md,
 * "Deployment groups").
 */

export { lockMembers, visibleMembers } from './queries.ts'
export { changeMembers, getGroup, listGroups, putGroup, removeGroup } from './service.ts'
