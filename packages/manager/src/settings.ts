/** What the manager needs to know of its configuration; parsed once by whoever starts it (docs/configuration.md). */
export type ManagerSettings = {
  readonly host: string
  readonly port: number
  /** Where the manager keeps files: the admin's password file, the key of the secrets, unpacked archives, logs. */
  readonly dataFolder: string
  /** Password of the bootstrap administrator at first start; a random one is made when undefined. */
  readonly adminPassword: string | undefined
  /** Keys for secrets, the first one for new values; those of the key file in the data folder when undefined. */
  readonly encryptionKeys: readonly string[] | undefined
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly maxArchiveBytes: number
  readonly maxUnpackedBytes: number
  readonly maxUnpackedEntries: number
  readonly maxBodyBytes: number
  /** How long a request waits for an upload or a deployment's creation before it answers without the end. */
  readonly waitMs: number
  /** How long anybody waits for a database that does not answer. */
  readonly databaseSeconds: number
  /** How long requests that are under way may go on after the manager was asked to stop. */
  readonly drainSeconds: number
  /** Hosts that archive and import URLs may name; empty: any public one. */
  readonly allowedHosts: readonly string[]
  /** Whether URLs may lead to loopback, private and link-local addresses. */
  readonly allowPrivateAddresses: boolean
  /** Whether the LDAP server may be there, even where archives may not. */
  readonly allowPrivateLdap: boolean
  /** The same for Vault and other managers that secrets are read from. */
  readonly allowPrivateSecretsProviders: boolean
}
