/** Execution groups: a workflow on every deployment of a group, so many at once (spec/rest-facts-a.md 14). */

export { executionGroupHandlers } from './routes.ts'
