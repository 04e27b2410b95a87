import { type Database, dependencyTable, ownedResource, toJson, type Visibility } from '@tutti/storage'
import { sql } from 'kysely'

/** spec/rest-spec-a.md 2.6, spec/rest-facts-a.md 10. */
export const dependencyResource = ownedResource(dependencyTable, {
  dependency_creator: { column: sql`x.dependency_creator` },
  source_deployment_id: { column: sql`x.source_deployment_id` },
  target_deployment_id: { column: sql`x.target_deployment_id` },
  target_deployment_func: { column: sql`x.target_deployment_func` },
  external_source: { column: sql`x.external_source` },
  external_target: { column: sql`x.external_target` },
})

export type NewDependency = {
  readonly tenant_id: number
  readonly id: string
  readonly dependency_creator: string
  readonly source_deployment_id: string | null
  readonly target_deployment_id: string | null
  readonly target_deployment_func: unknown
  readonly external_source: unknown
  readonly external_target: unknown
  readonly visibility: Visibility
  readonly created_by: string
  readonly created_at?: Date
}

const jsonOrNull = (value: unknown) => (value == null ? null : toJson(value))

export async function insertDependency(db: Database, dependency: NewDependency): Promise<void> {
  const { target_deployment_func, external_source, external_target, ...values } = dependency
  await db
    .insertInto('inter_deployment_dependencies')
    .values({
      ...values,
      target_deployment_func: jsonOrNull(target_deployment_func),
      external_source: jsonOrNull(external_source),
      external_target: jsonOrNull(external_target),
    })
    .execute()
}

export async function deleteAllOf(db: Database, tenantId: number, source: string): Promise<void> {
  await db
    .deleteFrom('inter_deployment_dependencies')
    .where('tenant_id', '=', tenantId)
    .where('source_deployment_id', '=', source)
    .execute()
}

/** The oldest that fits; false when there is none. Whatever is null is not asked for. */
export async function deleteDependency(
  db: Database,
  tenantId: number,
  what: { readonly creator: string; readonly source: string | null; readonly target: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from inter_deployment_dependencies where tenant_id = ${tenantId} and id = (
      select id from inter_deployment_dependencies
      where tenant_id = ${tenantId} and dependency_creator = ${what.creator}
        and source_deployment_id is not distinct from ${what.source}::text
        and (${what.target}::text is null or target_deployment_id = ${what.target}::text)
      order by created_at, id limit 1 for update)`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}
