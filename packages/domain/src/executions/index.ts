/**
 * Executions: runs of workflows, started, queued or refused, then cancelled, resumed or deleted
 * (docs/reference/executions.md).
 */

export { checkAtStart } from './check-at-start.ts'
export { readDeploymentStates } from './deployment-states-queries.ts'
export { dequeueExecutions, mayDequeue } from './dequeue-queries.ts'
export { type ExecutionEnd, type ExecutionEnds, watchExecutionEnds } from './ends.ts'
export { byOwnerOfEvent, insertExecutionGroup, type NewExecutionGroup, tellGroups } from './group-queries.ts'
export { insertExecution, insertExecutions, type NewExecution } from './insert-queries.ts'
export {
  endWhatIsLeft,
  executionResource,
  findRunning,
  lockDeployment,
  readEnd,
  readWorkflow,
  setForResume,
  systemWorkflowRuns,
} from './queries.ts'
export { actOnExecution, changeStatus, getExecution, listExecutions, removeExecutions } from './service.ts'
export {
  checkBuilt,
  checkCreated,
  finalParameters,
  findRefusals,
  findUnavailability,
  startExecution,
} from './start.ts'
export type { StatusChange } from './status-change.ts'
export { setExecutionStatus, setExecutionStatuses } from './status-queries.ts'
export { targetsNow } from './targets.ts'
export { type CancelAction, checkResumable, statusAfterCancel } from './transitions.ts'
