import type { DomainSettings } from '@tutti/domain'

/** What the manager needs to know of its configuration; parsed once by whoever starts it (docs/configuration.md). */
export type ManagerSettings = DomainSettings & {
  readonly host: string
  readonly port: number
  /** Files of the certificate and its key: answers by TLS only where there is one. */
  readonly tlsCertificate: string | undefined
  readonly tlsKey: string | undefined
  /** Addresses of proxies, or networks of them, that are believed whose request it is that they pass on. */
  readonly trustedProxies: readonly string[]
  /** Password of the bootstrap administrator at first start; a random one is made when undefined. */
  readonly adminPassword: string | undefined
  /** Keys for secrets, the first one for new values; those of the key file in the data folder when undefined. */
  readonly encryptionKeys: readonly string[] | undefined
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly maxBodyBytes: number
  /** How long anybody waits for a database that does not answer. */
  readonly databaseSeconds: number
  /** How long requests that are under way may go on after the manager was asked to stop. */
  readonly drainSeconds: number
}
