import { cloudifyContext, type JsonObject, type StoredOperation } from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import type { GivenOperation } from '../operations/index.ts'
import type { ExecutorServices } from '../services.ts'
import { implementationOf } from './choose-executor.ts'
import { timeoutOf } from './operation-timeout.ts'

/** A stored operation as its executor gets it: with what changes from try to try, and the execution's token. */
export function givenOperation(
  { settings }: ExecutorServices,
  execution: ExecutionRow,
  token: string,
  operation: StoredOperation,
  isResumed: boolean,
): GivenOperation {
  const { id, name, parameters } = operation
  const stored = cloudifyContext(parameters)
  const { __cloudify_context: _, ...inputs } = (parameters.task_kwargs.kwargs ?? {}) as JsonObject
  const { manager } = settings.environment
  return {
    id,
    name,
    implementation: implementationOf(operation),
    inputs: stored === undefined ? parameters.task_kwargs : inputs,
    context:
      stored === undefined
        ? {}
        : {
            ...stored,
            task_id: id,
            resume: isResumed,
            operation: { ...(stored.operation as JsonObject), retry_number: parameters.current_retries },
            rest_host: manager.hosts,
            rest_port: manager.port,
            rest_token: null,
            execution_token: token,
            bypass_maintenance: false,
          },
    execution,
    isResumed,
    timeLimit: {
      ms: timeoutOf(stored?.timeout, settings.operationTimeoutMs),
      isRecoverable: stored?.timeout_recoverable !== false,
    },
  }
}
