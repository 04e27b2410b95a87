/**
 * Blueprints: archives with a main file, and the plan that an execution parses out of it
 * (docs/reference/blueprints.md).
 */

export { blueprintResource } from './queries.ts'
export { blueprintHandlers } from './routes.ts'
export { hiddenIfAsked, listBlueprints, requireBlueprint } from './service.ts'
