export type { OperationEnvironment } from './operations/index.ts'
export type { WorkerLog } from './services.ts'
export type { WorkerSettings } from './settings.ts'
export { type RunningWorker, startWorker } from './start-worker.ts'
