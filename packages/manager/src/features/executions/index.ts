export { executionResource, findRunning, readStatus, setForResume, systemWorkflowRuns } from './queries.ts'
export { executionHandlers } from './routes.ts'
export { checkBuilt, checkCreated, finalParameters, findRefusals, findUnavailability } from './start.ts'
export { type CancelAction, checkResumable, statusAfterCancel } from './transitions.ts'
