export { isNoSpace, noSpaceIn } from './full-disk.ts'
export { logFileOf } from './log-file.ts'
export {
  commandAs,
  handOver,
  type OperationUser,
  operationUser,
  removeFolder,
  type UserIds,
} from './operation-user.ts'
export { killed, nonRecoverable } from './outcome.ts'
export type { CloudifyContext, OperationEnvironment, OperationRequest } from './request.ts'
export { type LogLimits, removeLog } from './rotating-log.ts'
export { atOnce, runOperation } from './run-operation.ts'
export { setprivCommand } from './setpriv.ts'
export { unbuiltPlugin } from './unbuilt-plugin.ts'
