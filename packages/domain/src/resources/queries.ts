import { type Database, ownedAs, type Scope, type Visibility, visibleIn } from '@tutti/storage'
import { sql } from 'kysely'

/** Who may read a folder, and the archive that its files come from. */
export type ResourceOwner = {
  readonly visibility: Visibility
  readonly createdBy: string
  readonly archiveSha256: string | null
  /** Of a deployment: what operations keep in its folder. */
  readonly folderSha256?: string | null
  readonly archiveExtension: string | null
}

export async function findBlueprintOwner(
  db: Database,
  tenantName: string,
  id: string,
): Promise<ResourceOwner | undefined> {
  return db
    .selectFrom('blueprints as b')
    .innerJoin('tenants as t', 't.id', 'b.tenant_id')
    .select([
      'b.visibility',
      'b.created_by as createdBy',
      'b.archive_sha256 as archiveSha256',
      'b.archive_extension as archiveExtension',
    ])
    .where('t.name', '=', tenantName)
    .where('b.id', '=', id)
    .executeTakeFirst()
}

export type PluginOwner = {
  readonly tenantId: number
  readonly archiveName: string
  readonly archiveSha256: string
}

/** The plugin of that id which the scope shows; ids are unique in a tenant. */
export async function findSeenPlugin(
  db: Database,
  scope: Scope,
  id: string,
): Promise<PluginOwner | undefined> {
  const { rows } = await sql<PluginOwner>`
    select p.tenant_id as "tenantId", p.archive_name as "archiveName", p.archive_sha256 as "archiveSha256"
    from plugins p where p.id = ${id} and ${visibleIn(ownedAs('p'), scope)}
    order by p.tenant_id limit 1`.execute(db)
  return rows[0]
}

/** A deployment's files are its own and those of its blueprint, which may be a global one of another tenant. */
export async function findDeploymentOwner(
  db: Database,
  tenantName: string,
  id: string,
): Promise<ResourceOwner | undefined> {
  return db
    .selectFrom('deployments as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .innerJoin('blueprints as b', (join) =>
      join.onRef('b.tenant_id', '=', 'd.blueprint_tenant_id').onRef('b.id', '=', 'd.blueprint_id'),
    )
    .leftJoin('deployment_folders as f', (join) =>
      join.onRef('f.tenant_id', '=', 'd.tenant_id').onRef('f.deployment_id', '=', 'd.id'),
    )
    .select([
      'd.visibility',
      'd.created_by as createdBy',
      'b.archive_sha256 as archiveSha256',
      'f.sha256 as folderSha256',
      'b.archive_extension as archiveExtension',
    ])
    .where('t.name', '=', tenantName)
    .where('d.id', '=', id)
    .executeTakeFirst()
}
