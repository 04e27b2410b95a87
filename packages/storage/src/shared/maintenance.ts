import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Maintenance mode, on or about to be (docs/reference/cluster-and-configuration.md, "Maintenance"). */
export type MaintenanceState = {
  readonly requestedBy: string
  readonly requestedAt: Date
  /** Null while executions still run. */
  readonly activatedAt: Date | null
}

/** Undefined: the manager works as always. */
export async function readMaintenance(db: Database): Promise<MaintenanceState | undefined> {
  return db
    .selectFrom('maintenance')
    .select([
      'requested_by as requestedBy',
      'activation_requested_at as requestedAt',
      'activated_at as activatedAt',
    ])
    .executeTakeFirst()
}

/** For whatever starts executions by itself: dequeuing, schedules. */
export const isInMaintenance = sql<boolean>`exists (select from maintenance)`
