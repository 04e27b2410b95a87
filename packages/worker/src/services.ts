import type { ConfigValues, Database, Queue, Settler } from '@tutti/storage'
import type { OperationSlots } from './executions/operation-slots.ts'
import type { WorkerSettings } from './settings.ts'

/** What a worker's parts work with; made once when it starts. */
export type WorkerServices = {
  readonly db: Database
  readonly queue: Queue
  readonly settings: WorkerSettings
  /** Settings that the API changes while the worker runs. */
  readonly config: ConfigValues
  readonly slots: OperationSlots
  /** Told of every execution that ran, as its end may change the environments that its deployment is in. */
  readonly environments: Settler
  readonly log: WorkerLog
  readonly now: () => number
}

export type WorkerLog = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
