import { startManager } from '@tutti/manager'
import type { Configuration } from '../configuration/settings.ts'
import type { OpenStore } from './open-store.ts'
import type { RunningManager } from './parts.ts'

export async function startManagerPart(
  configuration: Configuration,
  store: OpenStore,
): Promise<RunningManager> {
  const manager = await startManager({
    database: store.database,
    connection: store.connection,
    queue: store.queue,
    log: store.log,
    metrics: store.metrics,
    settings: { ...configuration, waitMs: configuration.waitSeconds * 1000 },
  })
  return { ...manager, broken: new Promise<never>(() => {}) }
}
