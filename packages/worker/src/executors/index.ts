export { chooseExecutor } from './choose-executor.ts'
export { createExecutors, refusing } from './executors.ts'
export { givenOperation } from './given-operation.ts'
export { openPython } from './warm-python.ts'
