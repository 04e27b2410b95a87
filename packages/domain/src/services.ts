import type { ConfigValues, FairShares, MaintenanceState, Queue, Watched } from '@tutti/storage'
import type { AuthenticationServices } from './authentication/services.ts'
import type { ExecutionEnds } from './executions/ends.ts'
import type { ProviderAnswers } from './secrets/provider-answers.ts'

/** What the rules work with; made once by the process that applies them. */
export type Services = AuthenticationServices & {
  readonly queue: Queue
  readonly settings: DomainSettings
  /** Settings that `PUT /config` changes while the process runs. */
  readonly config: ConfigValues
  readonly maintenance: Watched<MaintenanceState | undefined>
  /** This process's own, for archives on their way in. */
  readonly uploadFolder: string
  readonly executionEnds: ExecutionEnds
  /** For uploads that are unpacked and read before they are stored. */
  readonly unpacking: FairShares
  /** In a transaction that may read secrets, those that other systems keep; elsewhere they are asked for when read. */
  readonly providerAnswers?: ProviderAnswers
  readonly log: DomainLog
}

/** What the rules need to know of a process's configuration (docs/configuration.md). */
export type DomainSettings = {
  /** Where the process keeps files: the admin's password file, the key of the secrets, unpacked archives, logs. */
  readonly dataFolder: string
  readonly maxArchiveBytes: number
  readonly maxUnpackedBytes: number
  readonly maxUnpackedEntries: number
  /** How long somebody waits for an upload or a deployment's creation before it is answered without the end. */
  readonly waitMs: number
  /** Hosts that archive and import URLs may name; empty: any public one. */
  readonly allowedHosts: readonly string[]
  /** Whether URLs may lead to loopback, private and link-local addresses. */
  readonly allowPrivateAddresses: boolean
  /** Whether the LDAP server may be there, even where archives may not. */
  readonly allowPrivateLdap: boolean
  /** The same for Vault and other managers that secrets are read from. */
  readonly allowPrivateSecretsProviders: boolean
}

export type DomainLog = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
