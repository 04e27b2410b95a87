import type { Configuration } from '../configuration/settings.ts'

/** Something that runs until it is stopped. */
export type Running = {
  /** Ends cleanly: finishes or hands back what it works on. */
  readonly stop: () => Promise<void>
  /** Rejects when the part breaks down by itself; never resolves otherwise. */
  readonly broken: Promise<never>
}

/** The open database, embedded or not, that manager and worker of one process share. */
export type Store = { readonly close: () => Promise<void>; readonly broken: Promise<never> }

export type RunningManager = Running & {
  /** Address that it really listens on. */
  readonly url: string
  /** The same for operations on this machine. */
  readonly localUrl: string
}

/**
 * What `tutti serve` and `tutti worker` are put together from; `installedParts` has the real ones, tests
 * bring small ones.
 */
export type ServerParts<Opened extends Store = Store> = {
  openStore(configuration: Configuration): Promise<Opened>
  startManager(configuration: Configuration, store: Opened): Promise<RunningManager>
  /** Encrypts all secrets again, under a new key; answers how many. */
  rotateKeys(configuration: Configuration, store: Opened): Promise<{ readonly resealed: number }>
  startWorker(configuration: Configuration, store: Opened, managerUrl: string): Promise<Running>
}
