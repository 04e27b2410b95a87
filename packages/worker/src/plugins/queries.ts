import type { Database, Visibility } from '@tutti/storage'
import { sql } from 'kysely'
import type { Origin } from './notes.ts'

/** A plugin by what its environment is made of; undefined when it is gone. */
export type StoredPlugin = {
  readonly tenantId: number
  readonly id: string
  readonly packageName: string
  readonly packageVersion: string
  readonly sha256: string
  readonly visibility: Visibility
}

export async function readPlugin(
  db: Database,
  tenantId: number,
  id: string,
): Promise<StoredPlugin | undefined> {
  return db
    .selectFrom('plugins')
    .select([
      'tenant_id as tenantId',
      'id',
      'package_name as packageName',
      'package_version as packageVersion',
      'archive_sha256 as sha256',
      'visibility',
    ])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export type AskedOf = {
  readonly tenantId: number
  readonly id: string
  readonly wanted: 'installed' | 'uninstalled'
}

/** What somebody asked of this machine and has not got yet, also when a worker was killed that was at it. */
export async function findAsked(db: Database, manager: string): Promise<readonly AskedOf[]> {
  const { rows } = await sql<AskedOf>`
    select tenant_id as "tenantId", plugin_id as id,
      case when state in ('pending-install', 'installing') then 'installed' else 'uninstalled' end as wanted
    from plugin_states
    where manager = ${manager} and state in ('pending-install', 'installing', 'pending-uninstall', 'uninstalling')
    order by updated_at`.execute(db)
  return rows
}

/** Which of these, by their positions, are of a plugin or a deployment that is still what it was. */
export async function findPresent(db: Database, origins: readonly Origin[]): Promise<ReadonlySet<number>> {
  if (origins.length === 0) return new Set()
  const texts = (value: (one: Origin) => string) => sql`${origins.map(value)}::text[]`
  const { rows } = await sql<{ position: string }>`
    select o.position from unnest(${texts(({ kind }) => kind)},
      ${origins.map(({ tenantId }) => tenantId)}::int[],
      ${texts((one) => (one.kind === 'wagon' ? one.pluginId : one.deploymentId))},
      ${texts(({ sha256 }) => sha256)}) with ordinality as o (kind, tenant_id, id, sha256, position)
    where case o.kind
      when 'wagon' then exists (
        select from plugins p where p.tenant_id = o.tenant_id and p.id = o.id and p.archive_sha256 = o.sha256)
      else exists (
        select from deployments d
        join blueprints b on b.tenant_id = d.blueprint_tenant_id and b.id = d.blueprint_id
        where d.tenant_id = o.tenant_id and d.id = o.id and b.archive_sha256 = o.sha256)
    end`.execute(db)
  return new Set(rows.map(({ position }) => Number(position) - 1))
}

export type BlueprintOf = { readonly tenant: string; readonly id: string; readonly sha256: string }

/** The blueprint that a deployment is of, as its files are laid out. */
export async function readBlueprintOf(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<BlueprintOf | undefined> {
  const row = await db
    .selectFrom('deployments as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .innerJoin('blueprints as b', (join) =>
      join.onRef('b.tenant_id', '=', 'd.blueprint_tenant_id').onRef('b.id', '=', 'd.blueprint_id'),
    )
    .select(['t.name as tenant', 'b.id', 'b.archive_sha256 as sha256'])
    .where('d.tenant_id', '=', tenantId)
    .where('d.id', '=', deploymentId)
    .executeTakeFirst()
  return row === undefined || row.sha256 === null ? undefined : { ...row, sha256: row.sha256 }
}
