/**
 * Execution groups: a workflow on every deployment of a group, so many at once (docs/reference/groups.md, "Execution
 * groups").
 */

export { executionGroupHandlers } from './routes.ts'
