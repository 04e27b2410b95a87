/**
 * Executions: runs of workflows, started, queued or refused, then cancelled, resumed or deleted
 * (docs/reference/executions.md).
 */

export {
  endWhatIsLeft,
  executionResource,
  findRunning,
  readEnd,
  setForResume,
  systemWorkflowRuns,
} from './queries.ts'
export { executionHandlers } from './routes.ts'
export { checkBuilt, checkCreated, finalParameters, findRefusals, findUnavailability } from './start.ts'
export { type CancelAction, checkResumable, statusAfterCancel } from './transitions.ts'
