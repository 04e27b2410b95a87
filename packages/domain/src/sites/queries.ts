import type { Location } from '@tutti/api'
import { type Database, ownedResource, siteTable, type Visibility } from '@tutti/storage'
import { sql } from 'kysely'

/** As decimals, whole degrees too: clients compare what they sent with what they get. */
const degrees = (column: 'latitude' | 'longitude') => {
  const text = sql`${sql.ref(`x.${column}`)}::text`
  return sql`(case when ${text} ~ '^-?[0-9]+$' then ${text} || '.0' else ${text} end)`
}

/** docs/reference/sites-filters-labels.md, "Sites". */
export const siteResource = ownedResource(siteTable, {
  location: { column: sql`(${degrees('latitude')} || ', ' || ${degrees('longitude')})` },
  latitude: { column: sql`x.latitude` },
  longitude: { column: sql`x.longitude` },
})

export async function insertSite(
  db: Database,
  site: {
    readonly tenant_id: number
    readonly name: string
    readonly visibility: Visibility
    readonly created_by: string
    readonly created_at?: Date
    readonly latitude: number | null
    readonly longitude: number | null
  },
): Promise<void> {
  await db.insertInto('sites').values(site).execute()
}

export type SiteChange = {
  readonly name?: string
  readonly visibility?: Visibility
  /** null: none from now on. */
  readonly location?: Location | null
}

/** The deployments of a renamed site follow, by their foreign key. */
export async function updateSite(
  db: Database,
  tenantId: number,
  name: string,
  change: SiteChange,
): Promise<void> {
  const { location } = change
  const columns = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.visibility !== undefined && { visibility: change.visibility }),
    ...(location !== undefined && {
      latitude: location?.latitude ?? null,
      longitude: location?.longitude ?? null,
    }),
  }
  if (Object.keys(columns).length === 0) return
  await db
    .updateTable('sites')
    .set(columns)
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .execute()
}
