import type { Services } from '@tutti/domain'
import type { FairShares, OpenDatabase, Registry } from '@tutti/storage'
import type { FastifyBaseLogger } from 'fastify'
import type { DiskSpace } from './http/disk-space.ts'
import type { ManagerSettings } from './settings.ts'

/** What handlers work with; made once when the manager starts. */
export type ManagerServices = Services & {
  readonly database: OpenDatabase
  readonly settings: ManagerSettings
  readonly diskSpace: DiskSpace
  readonly log: FastifyBaseLogger
  readonly metrics: Registry
  /** For readers of long lists. */
  readonly readers: FairShares
}
