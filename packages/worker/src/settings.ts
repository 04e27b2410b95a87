import type { LogLimits, OperationEnvironment, UserIds } from './operations/index.ts'

/** What a worker needs to know of its configuration; parsed once by whoever starts it (docs/configuration.md). */
export type WorkerSettings = {
  /** Unique for each start of a worker: owner of its leases. */
  readonly owner: string
  /** How long a dead worker's executions wait for another one. */
  readonly leaseMs: number
  /** For how long leases are renewed while the event loop does not turn; a minute unless given. */
  readonly lifelessMs?: number
  /** No other worker can reach the database: what this one holds stays its own, however long that is away. */
  readonly isAlone: boolean
  readonly maxOperations: number
  /** For operations whose blueprint sets no timeout; 0: none. */
  readonly operationTimeoutMs: number
  /** How long operations may run on after SIGTERM before they are killed, to be run again elsewhere. */
  readonly drainMs: number
  readonly dataFolder: string
  /** This process's own: see openProcessFolder. */
  readonly workFolder: string
  /** How often it is looked for what has been deleted since. */
  readonly resourcesSweepMs: number
  readonly python: string
  /** Whether operations are forked by a process that has Python started already, where that can be had. */
  readonly warmPython: boolean
  /** Undefined: operations run as the user of the worker. */
  readonly operationUsers: UserIds | undefined
  readonly environment: OperationEnvironment
  /** Of each deployment's output of operations. */
  readonly operationLogs: LogLimits
  readonly maxArchiveBytes: number
  readonly maxUnpackedBytes: number
  readonly maxUnpackedEntries: number
  readonly allowedHosts: readonly string[]
  readonly allowPrivateAddresses: boolean
}
