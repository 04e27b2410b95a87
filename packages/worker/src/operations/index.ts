export { operationUser, type UserIds } from './operation-user.ts'
export { nonRecoverable } from './outcome.ts'
export type { CloudifyContext, OperationEnvironment, OperationRequest } from './request.ts'
export { atOnce, runOperation } from './run-operation.ts'
