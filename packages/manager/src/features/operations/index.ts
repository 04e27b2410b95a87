/**
 * Operations and tasks graphs: the durable log of an execution, as clients that run workflows themselves write it too
 * (spec/rest-facts-b.md 10).
 */

export { operationHandlers } from './routes.ts'
