export type {
  CloudifyContext,
  ErrorCause,
  OperationEnvironment,
  OperationError,
  OperationOutcome,
  OperationRequest,
} from './operations/index.ts'
export { runOperation } from './operations/index.ts'
