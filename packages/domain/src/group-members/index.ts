/** Which deployments are in a group, and the labels that they have of it (docs/reference/groups.md, "Deployment groups"). */

export { groupsOf, inDeploymentGroup } from './in-group-queries.ts'
export { setGroupLabels } from './labels-queries.ts'
export { joinGroup, joinGroups } from './members-queries.ts'
