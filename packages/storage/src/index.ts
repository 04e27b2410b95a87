export { type Database, type OpenDatabase, openDatabase, toJson } from './database.ts'
export { dequeueExecutions, pickUpMs } from './executions/dequeue.ts'
export {
  activeStatuses,
  checkLease,
  type ExecutionRow,
  findAbandoned,
  type Lease,
  LeaseLost,
  releaseAllLeases,
  releaseLeases,
  renewLeases,
  takeLease,
} from './executions/lease.ts'
export { endStatuses, isEnded, setExecutionStatus } from './executions/status.ts'
export { migrate } from './migrations/index.ts'
export { listen, type Notification, notify } from './notifications.ts'
export { type ExecutionJob, openQueue, type Queue } from './queue.ts'
export type { JsonColumn, Schema, Visibility } from './schema.ts'
