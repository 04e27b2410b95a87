import type { Database, OpenDatabase, Queue } from '@tutti/storage'
import type { FastifyBaseLogger } from 'fastify'
import type { PasswordCheck } from './authentication/passwords.ts'
import type { KeyRing } from './encryption/key-ring.ts'
import type { ExecutionEnds } from './execution-ends.ts'
import type { ManagerSettings } from './settings.ts'

/** What handlers work with; made once when the manager starts. */
export type Services = {
  readonly db: Database
  readonly database: OpenDatabase
  readonly queue: Queue
  readonly settings: ManagerSettings
  /** This process's own, for archives on their way in. */
  readonly uploadFolder: string
  readonly ends: ExecutionEnds
  readonly passwords: PasswordCheck
  readonly keys: KeyRing
  readonly now: () => Date
  readonly log: FastifyBaseLogger
}
