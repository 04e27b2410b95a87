import type {
  ConfigValues,
  Database,
  FairShares,
  MaintenanceState,
  OpenDatabase,
  Queue,
  Registry,
  Watched,
} from '@tutti/storage'
import type { FastifyBaseLogger } from 'fastify'
import type { Directory } from './authentication/directory.ts'
import type { LdapLogins } from './authentication/ldap/login.ts'
import type { Lockout } from './authentication/lockout.ts'
import type { PasswordCheck } from './authentication/passwords.ts'
import type { SlowDown } from './authentication/slow-down.ts'
import type { KeyRing } from './encryption/key-ring.ts'
import type { ExecutionEnds } from './execution-ends.ts'
import type { SecretsAtHand } from './features/secrets/index.ts'
import type { Room } from './http/room.ts'
import type { ManagerSettings } from './settings.ts'

/** What handlers work with; made once when the manager starts. */
export type Services = {
  /** Of this process. */
  readonly id: string
  readonly db: Database
  readonly database: OpenDatabase
  readonly queue: Queue
  readonly settings: ManagerSettings
  /** Settings that `PUT /config` changes while the manager runs. */
  readonly config: ConfigValues
  readonly maintenance: Watched<MaintenanceState | undefined>
  /** This process's own, for archives on their way in. */
  readonly uploadFolder: string
  readonly room: Room
  readonly ends: ExecutionEnds
  readonly passwords: PasswordCheck
  readonly slowDown: SlowDown
  readonly ldapLogins: LdapLogins
  readonly keys: KeyRing
  /** In a transaction that may read secrets, those that other systems keep; elsewhere they are asked for when read. */
  readonly secretsAtHand?: SecretsAtHand
  readonly directory: Directory
  readonly lockout: () => Lockout
  readonly now: () => Date
  readonly log: FastifyBaseLogger
  readonly metrics: Registry
  /** For readers of long lists. */
  readonly readers: FairShares
}
