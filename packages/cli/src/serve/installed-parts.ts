import type { ServerParts } from './parts.ts'

/** The parts that this installation has; loaded when they are started, so that client commands stay quick. */
export const installedParts: ServerParts<import('./open-store.ts').OpenStore> = {
  openStore: async (configuration) => (await import('./open-store.ts')).openStore(configuration),
  startManager: async (configuration, store) =>
    (await import('./manager-part.ts')).startManagerPart(configuration, store),
  rotateKeys: async (configuration, store) =>
    (await import('@tutti/manager')).rotateKeys(store.database.db, configuration),
  startWorker: async (configuration, store, managerUrl) =>
    (await import('./worker-part.ts')).startWorkerPart(configuration, store, managerUrl),
}
