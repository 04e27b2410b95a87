import { type Executors, nonRecoverable, type OperationExecutor } from '../operations/index.ts'
import type { ExecutorServices } from '../services.ts'
import { createNativeExecutor } from './native/native-executor.ts'
import { createPythonExecutor } from './python-executor.ts'

export const createExecutors = (services: ExecutorServices): Executors => ({
  native: createNativeExecutor(services),
  python: createPythonExecutor(services),
})

/** Of operations that no executor can take. */
export const refusing = (refusal: string): OperationExecutor => ({
  places: null,
  run: async () => nonRecoverable(refusal),
})
