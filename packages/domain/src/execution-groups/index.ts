/**
 * Execution groups: a workflow on every deployment of a group, so many at once (docs/reference/groups.md, "Execution
 * groups").
 */
export { actOnGroup, changeGroup, getGroup, listGroups } from './service.ts'
export { startGroup } from './start.ts'
