import type { ConfigValues, Database, FairShares, Queue, Registry } from '@tutti/storage'
import type { CoalescedTask } from './coalesced-task.ts'
import type { WorkerLog } from './log.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { Executors, StartProcess } from './operations/index.ts'
import type { Plugins } from './plugins/index.ts'
import type { ResourcesFolder } from './resources-folder/index.ts'
import type { WorkerSettings } from './settings.ts'

/** What a worker's parts work with; made once when it starts. */
export type WorkerServices = {
  readonly db: Database
  readonly queue: Queue
  readonly settings: WorkerSettings
  /** Settings that the API changes while the worker runs. */
  readonly config: ConfigValues
  /** For operations, shared fairly between tenants, as the next one is. */
  readonly slots: FairShares
  /** For threads that parse and plan. */
  readonly planning: FairShares
  /** Settles environments: asked after every execution, whose end may change those that its deployment is in. */
  readonly environments: CoalescedTask
  /** Starts what waits in the queue and may run now: asked after every execution too. */
  readonly waiting: CoalescedTask
  readonly resources: ResourcesFolder
  /** How processes in Python are started: those of operations and of workflows. */
  readonly startPython: StartProcess
  readonly plugins: Plugins
  readonly executors: Executors
  readonly log: WorkerLog
  readonly metrics: Registry
  /** What this worker counts itself. */
  readonly counts: WorkerMetrics
  readonly now: () => number
}

/** What executors of operations work with. */
export type ExecutorServices = Omit<WorkerServices, 'executors'>
