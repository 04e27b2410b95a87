import type { Database } from '@tutti/storage'
import { sql } from 'kysely'

/** Distinct states of its instances, and its nodes' types with their bases; as packages/dsl asks it. */
export type DeploymentState = {
  readonly instanceStates: readonly string[]
  readonly nodeTypes: readonly string[]
}

/** What the availability of the deployments' workflows depends on, by deployment id. */
export async function readDeploymentStates(
  db: Database,
  tenantId: number,
  deploymentIds: readonly string[],
): Promise<ReadonlyMap<string, DeploymentState>> {
  const { rows } = await sql<DeploymentState & { id: string }>`
    select d.id,
      array(select distinct state from node_instances i
        where i.tenant_id = ${tenantId} and i.deployment_id = d.id) as "instanceStates",
      array(select distinct t.name from nodes n, json_array_elements_text(n.type_hierarchy) t (name)
        where n.tenant_id = ${tenantId} and n.deployment_id = d.id) as "nodeTypes"
    from unnest(${[...deploymentIds]}::text[]) as d (id)`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
