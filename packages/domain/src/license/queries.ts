import { type Database, type ListedResource, namedOnly, timeField, toJson } from '@tutti/storage'
import { sql } from 'kysely'
import { edition } from '../version.ts'
import type { LicenseFile } from './license-file.ts'

/**
 * Clients that find the edition `premium` want a license, and the web console opens no page without one: this one is
 * nobody's, never expires and allows everything, until one is uploaded.
 */
const builtIn = sql`
  select 'LICENSE', null, null::timestamptz, ${edition}, false, null, '[]'::json
  where not exists (select from license)`

/** docs/reference/cluster-and-configuration.md, "License" */
export const licenseResource: ListedResource = {
  model: 'License',
  from: sql`(select * from license union all ${builtIn}) l`,
  fields: {
    id: { column: sql`l.id` },
    customer_id: { column: sql`l.customer_id` },
    expiration_date: timeField(sql`l.expiration_date`),
    license_edition: { column: sql`l.license_edition` },
    trial: { column: sql`l.trial` },
    cloudify_version: { column: sql`l.cloudify_version` },
    capabilities: { column: sql`l.capabilities` },
    expired: { column: sql`coalesce(l.expiration_date <= clock_timestamp(), false)` },
  },
  search: sql`l.customer_id`,
  ...namedOnly,
  tieBreaker: sql`l.id`,
}

export const anyLicense = sql`true`

export async function writeLicense(db: Database, license: LicenseFile): Promise<void> {
  const row = {
    customer_id: license.customerId,
    expiration_date: license.expirationDate,
    license_edition: license.edition,
    trial: license.isTrial,
    cloudify_version: license.version,
    capabilities: toJson(license.capabilities),
  }
  await db
    .insertInto('license')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export async function deleteLicense(db: Database): Promise<boolean> {
  return (await db.deleteFrom('license').returning('id').executeTakeFirst()) !== undefined
}
