/**
 * Operations and tasks graphs: the durable log of an execution, as clients that run workflows themselves write it too
 * (docs/reference/operations-resource.md).
 */

export { insertGraph, insertOperations } from './queries.ts'
export { refreshStored } from './refresh.ts'
export {
  createOperation,
  createTasksGraph,
  getOperation,
  getTasksGraph,
  listOperations,
  listTasksGraphs,
  removeOperation,
} from './service.ts'
export { changeOperation } from './update.ts'
