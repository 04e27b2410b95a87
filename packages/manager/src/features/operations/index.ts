/**
 * Operations and tasks graphs: the durable log of an execution, as clients that run workflows themselves write it too
 * (docs/reference/operations-resource.md).
 */

export { operationHandlers } from './routes.ts'
