import type { OperationRecord } from '@tutti/engine'
import type { TimeLimit } from './executor.ts'
import type { OperationUser } from './operation-user.ts'
import type { JsonObject, JsonValue } from './outcome.ts'
import type { LogLimits } from './rotating-log.ts'

/**
 * `__cloudify_context` (docs/reference/operations.md, "Context"), tokens included. The fields that the executor itself
 * reads:
 */
export type CloudifyContext = JsonObject & {
  readonly task_name: string
  readonly plugin: JsonObject & { readonly name: string }
}

export type OperationRequest = {
  readonly context: CloudifyContext
  readonly kwargs: Readonly<Record<string, JsonValue>>
  readonly environment: OperationEnvironment
  /** The operation's own folder is made in it, and removed at the end. */
  readonly workFolder: string
  readonly timeLimit: TimeLimit
  /** What the process prints is appended to it; created with its folders if missing. */
  readonly logFile: string
  readonly logLimits: LogLimits
  /** Path or name of the interpreter, Python ≥ 3.8. */
  readonly python: string
  readonly user: OperationUser
  /** Told what the operation says, in its order. */
  readonly said: (records: readonly OperationRecord[]) => void
  /** Told of what went wrong beside the operation, and changes nothing of what came of it. */
  readonly warn: (error: unknown, what: string) => void
}

/** What an operation's process is told about its surroundings (docs/reference/operations.md, "Process"). */
export type OperationEnvironment = {
  /** The worker's own variables: `process.env`. Few of them become the child's. */
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** Names of more that do; with `*` at their end, all that begin so. */
  readonly alsoPassed: readonly string[]
  readonly manager: {
    readonly protocol: 'http' | 'https'
    readonly hosts: readonly string[]
    readonly port: number
    readonly name: string
    /** CA certificates to check the manager by. */
    readonly certificateFile: string | null
  }
  /** The folder `python/` of this repository. */
  readonly runtimeFolder: string
  /** Lasting files of plugins on this machine: `ctx.plugin.workdir`. */
  readonly pluginWorkFolder: string
  readonly logFolder: string
  /** With `blueprints/TENANT/ID` and `deployments/TENANT/ID` below it. */
  readonly resourcesFolder: string
}
