import type { JsonObject } from '@tutti/engine'
import { type Database, type ExecutionRow, partsList, writtenOutBy } from '@tutti/storage'
import { sql } from 'kysely'

/**
 * What the plan of the deployment's blueprint says of a plugin that workflows are mapped to; undefined where it is not to
 * be installed.
 */
export async function readWorkflowPlugin(
  db: Database,
  { tenant_id: tenantId, deployment_id: id }: ExecutionRow,
  name: string,
): Promise<JsonObject | undefined> {
  const listed = sql`(b.plan -> 'workflow_plugins_to_install')`
  const { rows } = await sql<{ plugin: JsonObject }>`
    select plugin from deployments d
    join blueprints b on b.tenant_id = d.blueprint_tenant_id and b.id = d.blueprint_id
    cross join lateral ${partsList(sql`b.plan_parts`)} as parts (list)
    cross join lateral json_array_elements(${writtenOutBy(listed, sql`parts.list`)}::json) as plugin
    where d.tenant_id = ${tenantId} and d.id = ${id} and plugin ->> 'name' = ${name} limit 1`.execute(db)
  return rows[0]?.plugin
}
