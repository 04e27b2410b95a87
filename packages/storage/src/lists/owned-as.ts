import { sql } from 'kysely'
import type { Owned } from './resource.ts'

/** The columns that say who sees a row of the table of that alias. */
export const ownedAs = (alias: string): Owned => ({
  tenantId: sql.ref(`${alias}.tenant_id`),
  createdBy: sql.ref(`${alias}.created_by`),
  visibility: sql.ref(`${alias}.visibility`),
})
