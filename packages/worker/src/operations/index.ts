export { commonEnvironment } from './child-environment.ts'
export {
  atOnce,
  type ExecutorName,
  type Executors,
  type GivenOperation,
  type OperationExecutor,
  type OperationWatch,
} from './executor.ts'
export { isNoSpace, noSpaceIn } from './full-disk.ts'
export { logFileOf } from './log-file.ts'
export {
  commandAs,
  handOver,
  installingUser,
  type OperationUser,
  operationUser,
  ownFolder,
  removeFolder,
  type UserIds,
} from './operation-user.ts'
export { killed, nonRecoverable, recoverable } from './outcome.ts'
export type { Exit, OperationProcess, StartProcess } from './process.ts'
export { startProcessGroup } from './process-group.ts'
export { outputLimitBytes } from './read-output.ts'
export type { CloudifyContext, OperationEnvironment, OperationRequest } from './request.ts'
export { type LogLimits, removeLog } from './rotating-log.ts'
export { runOperation } from './run-operation.ts'
export { setprivCommand } from './setpriv.ts'
export { startCold } from './start-cold.ts'
export { stopOf, timedOut } from './time-limit.ts'
export { createParents, lineReader, type Parents, startWarm } from './warm/index.ts'
