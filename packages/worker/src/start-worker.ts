import { availableParallelism } from 'node:os'
import { settleEnvironments } from '@tutti/domain/environments'
import { dequeueExecutions, mayDequeue } from '@tutti/domain/executions'
import type { PoolConfig } from '@tutti/storage'
import {
  type Database,
  listen,
  machineAddress,
  measuredShares,
  openConfigValues,
  type Queue,
  type Registry,
  startHeartbeat,
} from '@tutti/storage'
import { type Claims, createClaims } from './claims.ts'
import { createCoalescedTask } from './coalesced-task.ts'
import { startCoordinator } from './coordinator/index.ts'
import { createExecutors, openPython } from './executors/index.ts'
import type { WorkerLog } from './log.ts'
import { workerMetrics } from './metrics.ts'
import { openPlugins } from './plugins/index.ts'
import { openResources } from './resources-folder/index.ts'
import type { WorkerSettings } from './settings.ts'

export type RunningWorker = {
  /** Executions at work. */
  readonly running: number
  /** Stops taking executions, gives back what it holds, and ends. */
  drain(): Promise<void>
}

/** Starts to run executions, until `drain`. The database and the queue stay the caller's to close. */
export async function startWorker(options: {
  readonly db: Database
  readonly connection: PoolConfig
  readonly queue: Queue
  readonly settings: WorkerSettings
  readonly log: WorkerLog
  readonly metrics: Registry
  /** Tutti's, as the status of the cluster shows it. */
  readonly version: string
}): Promise<RunningWorker> {
  const { db, queue, settings, log, metrics } = options
  // What waits is in memory already, as part of the graph or the execution that asks.
  const shares = (name: string, size: number) =>
    measuredShares(metrics, name, { size, mostWaiting: Number.POSITIVE_INFINITY })
  const slots = shares('operations', settings.maxOperations)
  const planning = shares('planning', Math.max(3, availableParallelism()))
  const config = await openConfigValues(
    db,
    {
      blueprint_folder_max_size_mb: settings.maxUnpackedBytes / 2 ** 20,
      blueprint_folder_max_files: settings.maxUnpackedEntries,
    },
    { onError: (error) => log.warn({ err: error }, 'changed settings could not be read yet') },
  )
  const environments = createCoalescedTask(() => settleEnvironments(db), {
    // Readers settle what they read, so this only keeps the list short.
    delayMs: 250,
    onError: (error) => log.warn({ err: error }, 'environments could not be settled yet'),
  })
  // What changed just before a crash.
  environments.ask()
  const waiting = createCoalescedTask(
    async () => {
      if (!(await mayDequeue(db))) return
      await db.transaction().execute((transaction) => dequeueExecutions(transaction, queue))
    },
    {
      delayMs: 0,
      onError: (error) => log.warn({ err: error }, 'what waits in the queue could not be started yet'),
    },
  )
  const resources = await openResources({ db, settings, config, log })
  const python = openPython({ metrics, log }, settings.warmPython)
  const plugins = await openPlugins({ db, settings, log, metrics, now: Date.now })
  const services = {
    db,
    queue,
    settings,
    config,
    slots,
    planning,
    environments,
    waiting,
    resources,
    startPython: python.start,
    plugins,
    log,
    metrics,
    counts: workerMetrics(metrics, () => claims.running),
    now: Date.now,
  }
  const executors = createExecutors(services)
  const claims: Claims = await createClaims({ ...services, executors }, options.connection)
  const listener = listen(
    options.connection,
    (notification) => {
      claims.onNotification(notification)
      config.onNotification(notification)
      plugins.onNotification(notification)
    },
    (isListening) => {
      config.onListening(isListening)
      // What was said meanwhile.
      if (isListening) plugins.ask()
    },
  )
  const heartbeat = await startHeartbeat(
    db,
    {
      id: settings.owner,
      hostname: settings.environment.manager.name,
      address: machineAddress(),
      // Every worker stands for coordinator, which clients know under this name.
      roles: ['worker', 'scheduler'],
      version: options.version,
    },
    { onError: (error) => log.warn({ err: error }, 'the heartbeat could not be written') },
  )
  const coordinator = startCoordinator({ db, connection: options.connection, metrics, log })
  await queue.work((jobs) => claims.take(jobs))
  return {
    get running() {
      return claims.running
    },
    async drain() {
      // First of all, so that no job is fetched that this worker would not take.
      await queue.rest()
      // Nobody else does what this one no longer does: another one is elected while operations still end.
      await Promise.all([coordinator.stop(), claims.drain()])
      await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
      await python.close()
      await Promise.all([environments.stop(), waiting.stop(), resources.stop(), plugins.stop()])
      await heartbeat.stop()
      await listener.close()
      config.close()
    },
  }
}
