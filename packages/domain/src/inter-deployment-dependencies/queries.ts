import {
  type Database,
  type ListedResource,
  ownedAs,
  ownedRows,
  ownerFields,
  type Scope,
  visibleIn,
} from '@tutti/storage'
import { sql } from 'kysely'

/** docs/reference/environments-and-dependencies.md, "Dependencies". */
export const dependencyResource: ListedResource = {
  model: 'InterDeploymentDependencies',
  from: sql`inter_deployment_dependencies p left join tenants on tenants.id = p.tenant_id
    left join deployments s on s.tenant_id = p.tenant_id and s.id = p.source_deployment_id
    left join deployments t on t.tenant_id = p.tenant_id and t.id = p.target_deployment_id`,
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
  seenWith: [ownedAs('s'), ownedAs('t')],
}

export type Link = {
  readonly creator: string
  readonly source: string | null
  /** undefined: whatever the target is */
  readonly target: string | null | undefined
}

/** The dependencies of the tenant that are such a link and that the scope shows, oldest first. */
export async function findLinks(
  db: Database,
  tenantId: number,
  link: Link,
  scope: Scope,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from ${dependencyResource.from}
    where p.tenant_id = ${tenantId} and p.dependency_creator = ${link.creator}
      and p.source_deployment_id is not distinct from ${link.source}
      ${link.target === undefined ? sql`` : sql`and coalesce(p.target_deployment_id, p.awaited_target_id) is not distinct from ${link.target}`}
      and ${visibleIn(dependencyResource, scope)}
    order by p.created_at, p.id for update of p`.execute(db)
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
