export { chooseExecutor, type Executors } from './choose-executor.ts'
export { atOnce, type GivenOperation, type OperationExecutor, type OperationWatch } from './executor.ts'
export { createExecutors, refusing } from './executors.ts'
export { givenOperation } from './given-operation.ts'
export { logFileOf } from './log-file.ts'
export {
  commandAs,
  handOver,
  type OperationUser,
  operationUser,
  removeFolder,
  type UserIds,
} from './operation-user.ts'
export { recoverable } from './outcome.ts'
export type { CloudifyContext, OperationEnvironment, OperationRequest } from './request.ts'
export { type LogLimits, removeLog } from './rotating-log.ts'
export { setprivCommand } from './setpriv.ts'
