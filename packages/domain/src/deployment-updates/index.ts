/**
 * Deployment updates: a deployment becomes one of another blueprint, or with other inputs
 * (docs/reference/deployment-updates.md).
 */

export { applyUpdate } from './apply.ts'
export { changeBlueprintOf, finishUpdate } from './finish.ts'
export { initiateUpdate, type UpdateOptions } from './initiate.ts'
export { type InstanceChange, type PreparedUpdate, storePrepared } from './prepared.ts'
export { deploymentDigest, readPlanForUpdate, readUpdateOf, type UpdateRow } from './queries.ts'
export { getUpdate, listUpdates, patchUpdate, recordUpdate } from './service.ts'
