/**
 * Deployment groups: sets of deployments, with a blueprint and inputs for new ones (docs/reference/groups.md,
 * "Deployment groups").
 */

export { groupsOf, inDeploymentGroup } from './in-group-queries.ts'
export { setGroupLabels } from './labels-queries.ts'
export { joinGroup, joinGroups } from './members-queries.ts'
export { lockMembers, visibleMembers } from './queries.ts'
export { changeMembers, getGroup, listGroups, putGroup, removeGroup } from './service.ts'
