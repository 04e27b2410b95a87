import { ApiError } from '@tutti/api'
import type { OperationOutcome } from '@tutti/engine'
import { checkLease } from '@tutti/storage'
import {
  type GivenOperation,
  killed,
  nonRecoverable,
  type OperationExecutor,
  stopOf,
  timedOut,
} from '../../operations/index.ts'
import type { ExecutorServices } from '../../services.ts'
import type { NativeOperation, NativeRun } from './native-operation.ts'
import { nativeOperations } from './registry.ts'

/** Runs functions of Tutti's own (docs/reference/operations.md, "Native operations"). */
export function createNativeExecutor(
  services: ExecutorServices,
  operations: ReadonlyMap<string, NativeOperation> = nativeOperations,
): OperationExecutor {
  return {
    places: null,
    async run(given, { signal, started }) {
      const operation = operations.get(given.implementation)
      if (operation === undefined) throw new Error(`there is no native operation ${given.implementation}`)
      if (signal.aborted) return killed
      started()
      const ending = new AbortController()
      const stop = stopOf(given.timeLimit.ms, signal)
      const work = answerOf(operation, nativeRun(services, given, ending.signal))
      const first = await Promise.race([work.catch(() => undefined), stop.reason])
      stop.clear()
      if (typeof first !== 'string') return work
      ending.abort(signal.reason)
      // Whatever it throws when it is to end, it ends because of that. What it has done is done.
      const late = await work.catch(() => undefined)
      if (late?.ok) return late
      return first === 'aborted' ? killed : timedOut(given.timeLimit)
    },
  }
}

async function answerOf(operation: NativeOperation, run: NativeRun): Promise<OperationOutcome> {
  try {
    return await operation(run)
  } catch (error) {
    if (error instanceof ApiError) return nonRecoverable(error.message)
    throw error
  }
}

function nativeRun(services: ExecutorServices, given: GivenOperation, signal: AbortSignal): NativeRun {
  const { tenant_id: tenantId, id: executionId, lease_fence: fence } = given.execution
  return {
    services,
    given,
    signal,
    change: (work) =>
      services.db.transaction().execute(async (transaction) => {
        await checkLease(transaction, { tenantId, executionId, fence })
        return work(transaction)
      }),
  }
}
