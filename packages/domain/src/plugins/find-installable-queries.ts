import { type Database, ownedAs, type Scope, visibleIn } from '@tutti/storage'
import { sql } from 'kysely'

/** What a plan says of a plugin, as far as it says it. */
export type WantedPlugin = {
  readonly package_name: string
  readonly package_version?: string | null
  readonly supported_platform?: string | null
  readonly distribution?: string | null
  readonly distribution_version?: string | null
  readonly distribution_release?: string | null
}

export type InstallablePlugin = {
  /** Of the plugin's own tenant, which is another one than who uses it where it is global. */
  readonly tenant_id: number
  readonly tenant_name: string
  readonly id: string
  readonly package_name: string
  readonly package_version: string
  /** File name of the wagon, and what it is stored as. */
  readonly archive_name: string
  readonly archive_sha256: string
  readonly supported_platform: string | null
  readonly supported_py_versions: readonly string[]
  readonly distribution: string | null
  readonly distribution_version: string | null
  readonly distribution_release: string | null
}

const comparedColumns = [
  'package_name',
  'package_version',
  'supported_platform',
  'distribution',
  'distribution_version',
  'distribution_release',
] as const

/** Plugins in the scope that are as wanted: the tenants' own first, then what was uploaded last. */
export async function findPackages(
  db: Database,
  scope: Scope,
  wanted: WantedPlugin,
): Promise<readonly InstallablePlugin[]> {
  const isWanted = comparedColumns.flatMap((name) => {
    const value = wanted[name]
    return value == null ? [] : [sql`p.${sql.ref(name)} = ${value}`]
  })
  const { rows } = await sql<InstallablePlugin>`
    select p.tenant_id, t.name as tenant_name, p.id, p.package_name, p.package_version, p.archive_name,
      p.archive_sha256, p.supported_platform, p.supported_py_versions, p.distribution, p.distribution_version,
      p.distribution_release
    from plugins p join tenants t on t.id = p.tenant_id
    where ${visibleIn(ownedAs('p'), scope)} and ${sql.join(isWanted, sql` and `)}
    order by p.tenant_id = any(${[...scope.tenantIds]}::int[]) desc, p.created_at desc, p.id`.execute(db)
  return rows
}
