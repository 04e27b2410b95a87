import { type JsonList, type JsonObject, packageText } from '@tutti/dsl'
import {
  type Database,
  type ListedField,
  ownedAs,
  ownedResource,
  pluginTable,
  type Schema,
  type Scope,
  type Transaction,
  timeField,
  type Users,
  usersOf,
  visibleIn,
} from '@tutti/storage'
import { type Insertable, sql, type UpdateObject } from 'kysely'
import type { PluginFile } from './read-files.ts'

/** Who does not see an agent is not told that the plugin is there. */
const installationState: ListedField = {
  column: (scope) => sql`(
    select coalesce(json_agg(json_build_object('state', s.state, 'error', s.error, 'manager', s.manager,
      'agent', s.agent, 'progress', s.progress) order by s.manager, s.agent), '[]'::json)
    from plugin_states s
    left join agents a on a.tenant_id = s.agent_tenant_id and a.id = s.agent
    left join node_instances i on i.tenant_id = a.tenant_id and i.id = a.node_instance_id
    where s.tenant_id = x.tenant_id and s.plugin_id = x.id
      and (s.manager is not null or ${visibleIn({ ...ownedAs('a'), seenWith: [ownedAs('i')] }, scope)}))`,
}

const ownYamls = sql`plugin_files f where f.tenant_id = x.tenant_id and f.plugin_id = x.id and not f.is_derived
  and f.name ~ '\\.ya?ml$'`

/** docs/reference/plugins.md, "Fields". */
export const pluginResource = ownedResource(
  pluginTable,
  {
    title: { column: sql`x.title` },
    package_name: { column: sql`x.package_name` },
    package_version: { column: sql`x.package_version` },
    package_source: { column: sql`x.package_source` },
    archive_name: { column: sql`x.archive_name` },
    supported_platform: { column: sql`x.supported_platform` },
    distribution: { column: sql`x.distribution` },
    distribution_version: { column: sql`x.distribution_version` },
    distribution_release: { column: sql`x.distribution_release` },
    supported_py_versions: { column: sql`x.supported_py_versions` },
    wheels: { column: sql`x.wheels` },
    excluded_wheels: { column: sql`x.excluded_wheels` },
    blueprint_labels: { column: sql`x.blueprint_labels` },
    labels: { column: sql`x.labels` },
    resource_tags: { column: sql`x.resource_tags` },
    installation_state: installationState,
    yaml_files_paths: {
      column: sql`(select coalesce(json_agg('/resources/plugins/' || x.id || '/' || f.name
        order by f.name !~ '^plugin\\.ya?ml$', f.name), '[]'::json) from ${ownYamls})`,
    },
    yaml_url_path: {
      column: sql`(case when exists (select from ${ownYamls}) then 'plugin:' || x.package_name || '?version='
        || x.package_version || coalesce('&distribution=' || x.distribution, '') else '' end)`,
    },
    uploaded_at: timeField(sql`x.created_at`),
  },
  { search: sql`x.package_name` },
)

/** What the rules look at beside the owner. */
export type PluginRow = {
  readonly package_name: string
  readonly package_version: string
  readonly archive_name: string
  readonly archive_sha256: string
  readonly supported_platform: string | null
  readonly distribution: string | null
  readonly distribution_version: string | null
  readonly distribution_release: string | null
}

export const pluginColumns = [
  'package_name',
  'package_version',
  'archive_name',
  'archive_sha256',
  'supported_platform',
  'distribution',
  'distribution_version',
  'distribution_release',
] as const

/** Keeps uploads and widenings of one package apart until the transaction ends, in all tenants. */
export async function lockPackage(transaction: Transaction, packageName: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`plugin package ${packageName}`}, 0))`.execute(
    transaction,
  )
}

type Archive = Omit<PluginRow, 'archive_sha256'>

/** Whether a plugin of the tenant, or a global one, is the same wagon, or the same version for the same machines. */
export async function hasSamePlugin(
  db: Database,
  tenantId: number,
  archive: Archive,
  besides?: { readonly tenant_id: number; readonly id: string },
): Promise<boolean> {
  const other =
    besides === undefined ? sql`true` : sql`(p.tenant_id, p.id) <> (${besides.tenant_id}, ${besides.id})`
  const { rows } = await sql`
    select from plugins p
    where p.package_name = ${archive.package_name} and (p.tenant_id = ${tenantId} or p.visibility = 'global')
      and ${other} and (p.archive_name = ${archive.archive_name} or (p.package_version = ${archive.package_version}
        and p.supported_platform is not distinct from ${archive.supported_platform}
        and p.distribution is not distinct from ${archive.distribution}
        and p.distribution_version is not distinct from ${archive.distribution_version}
        and p.distribution_release is not distinct from ${archive.distribution_release}))
    limit 1`.execute(db)
  return rows.length > 0
}

export async function insertPlugin(
  transaction: Transaction,
  plugin: Insertable<Schema['plugins']>,
  files: readonly PluginFile[],
): Promise<void> {
  await transaction.insertInto('plugins').values(plugin).execute()
  if (files.length === 0) return
  await transaction
    .insertInto('plugin_files')
    .values(files.map((file) => ({ ...file, tenant_id: plugin.tenant_id, plugin_id: plugin.id })))
    .execute()
}

export async function updatePlugin(
  db: Database,
  tenantId: number,
  id: string,
  change: UpdateObject<Schema, 'plugins'>,
): Promise<void> {
  await db.updateTable('plugins').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Its YAML files and its icon, without what is in them. */
export async function readFileNames(db: Database, tenantId: number, id: string) {
  return db
    .selectFrom('plugin_files')
    .select(['name', 'is_derived', sql<number>`length(content)`.as('size')])
    .where('tenant_id', '=', tenantId)
    .where('plugin_id', '=', id)
    .orderBy('name')
    .execute()
}

export async function readFileContent(
  db: Database,
  tenantId: number,
  id: string,
  name: string,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('plugin_files')
    .select('content')
    .where('tenant_id', '=', tenantId)
    .where('plugin_id', '=', id)
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.content
}

type WithFiles = {
  readonly tenantId: number
  readonly id: string
  readonly version: string
  readonly distribution: string | null
  readonly files: readonly { readonly name: string; readonly is_derived: boolean }[]
  readonly stored: {
    readonly labels: Readonly<Record<string, JsonList>>
    readonly blueprint_labels: Readonly<Record<string, JsonList>>
    readonly resource_tags: JsonObject
  }
}

/** Plugins of the package in the scope, the tenants' own first, then what was uploaded last. */
export async function findWithFiles(
  db: Database,
  scope: Scope,
  packageName: string,
): Promise<readonly WithFiles[]> {
  const { rows } = await sql<WithFiles>`
    select x.tenant_id as "tenantId", x.id, x.package_version as version, x.distribution,
      json_build_object('labels', x.labels, 'blueprint_labels', x.blueprint_labels,
        'resource_tags', x.resource_tags) as stored,
      (select coalesce(json_agg(json_build_object('name', f.name, 'is_derived', f.is_derived)), '[]'::json)
        from plugin_files f where f.tenant_id = x.tenant_id and f.plugin_id = x.id) as files
    from plugins x
    where x.package_name = ${packageName} and ${visibleIn(ownedAs('x'), scope)}
    order by x.tenant_id = any(${[...scope.tenantIds]}::int[]) desc, x.created_at desc, x.id`.execute(db)
  return rows
}

/** Blueprints whose plan uses the plugin: of its tenant, and of all tenants where it is global. */
export const blueprintsUsing = (
  db: Database,
  scope: Scope,
  { tenant_id: tenantId, visibility, package_name, package_version }: PluginRow & UsedPlugin,
): Promise<Users> =>
  usersOf(
    db,
    scope,
    'blueprints',
    sql`x.plugin_packages @> array[${packageText(package_name, package_version)}]::text[]
      and (x.tenant_id = ${tenantId} or ${visibility} = 'global')`,
  )

type UsedPlugin = { readonly tenant_id: number; readonly visibility: string }
