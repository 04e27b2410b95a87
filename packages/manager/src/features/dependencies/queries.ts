import { type Database, type ListedResource, ownedRows, ownerFields } from '@tutti/storage'
import { sql } from 'kysely'

/** spec/rest-spec-a.md 2.6. */
export const dependencyResource: ListedResource = {
  model: 'InterDeploymentDependencies',
  from: sql`inter_deployment_dependencies p join tenants on tenants.id = p.tenant_id`,
  fields: {
    id: { column: sql`p.id` },
    dependency_creator: { column: sql`p.dependency_creator` },
    source_deployment_id: { column: sql`p.source_deployment_id` },
    target_deployment_id: { column: sql`p.target_deployment_id` },
    target_deployment_func: { column: sql`p.target_deployment_func` },
    external_source: { column: sql`p.external_source` },
    external_target: { column: sql`p.external_target` },
    ...ownerFields('p'),
  },
  ...ownedRows('p'),
}

export type Link = {
  readonly creator: string
  readonly source: string | null
  /** undefined: whatever the target is */
  readonly target: string | null | undefined
}

/** The dependencies of the tenant that are such a link, oldest first. */
export async function findLinks(db: Database, tenantId: number, link: Link): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from inter_deployment_dependencies
    where tenant_id = ${tenantId} and dependency_creator = ${link.creator}
      and source_deployment_id is not distinct from ${link.source}
      ${link.target === undefined ? sql`` : sql`and target_deployment_id is not distinct from ${link.target}`}
    order by created_at, id for update`.execute(db)
  return rows.map((row) => row.id)
}

export async function deleteDependencies(
  db: Database,
  tenantId: number,
  ids: readonly string[],
): Promise<void> {
  await sql`delete from inter_deployment_dependencies
    where tenant_id = ${tenantId} and id = any(${[...ids]}::text[])`.execute(db)
}
