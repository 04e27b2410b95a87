import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { blueprintLabels, deploymentLabels, type LabelledTable } from '../labels.ts'
import type { Scope } from '../lists/resource.ts'

/** A blueprint or deployment, as the constraints of inputs see it. */
export type Owner = {
  readonly tenantId: number
  readonly tenantName: string
  readonly name: string
  readonly labels: readonly { readonly key: string; readonly value: string }[]
}

/** Those of that id that the scope shows: its own tenants' and global ones. */
async function listOwners(
  db: Database,
  scope: Scope,
  id: string,
  {
    table,
    name,
    labelled,
  }: { readonly table: string; readonly name: string; readonly labelled: LabelledTable },
): Promise<readonly Owner[]> {
  const { rows } = await sql<Owner>`
    select o.tenant_id as "tenantId", t.name as "tenantName", o.${sql.ref(name)} as name,
      coalesce((select json_agg(json_build_object('key', l.key, 'value', l.value))
        from ${sql.table(labelled.table)} l
        where l.tenant_id = o.tenant_id and l.${sql.ref(labelled.idColumn)} = o.id), '[]') as labels
    from ${sql.table(table)} o join tenants t on t.id = o.tenant_id
    where o.id = ${id} and (
      (o.tenant_id = any(${[...scope.tenantIds]}::int[]) and (
        o.visibility <> 'private' or o.created_by = ${scope.username}
        or o.tenant_id = any(${[...scope.administeredTenantIds]}::int[])))
      or (o.tenant_id = any(${[...scope.globalTenantIds]}::int[]) and o.visibility = 'global'))
    order by o.tenant_id = any(${[...scope.tenantIds]}::int[]) desc`.execute(db)
  return rows
}

export const listBlueprints = (db: Database, scope: Scope, id: string): Promise<readonly Owner[]> =>
  listOwners(db, scope, id, { table: 'blueprints', name: 'id', labelled: blueprintLabels })

export const listDeployments = (db: Database, scope: Scope, id: string): Promise<readonly Owner[]> =>
  listOwners(db, scope, id, { table: 'deployments', name: 'display_name', labelled: deploymentLabels })

export async function secretExists(db: Database, scope: Scope, key: string): Promise<boolean> {
  const { rows } = await sql`
    select from secrets s where key = ${key} and (s.visibility = 'global' or (
      s.tenant_id = any(${[...scope.tenantIds]}::int[]) and (
        s.visibility <> 'private' or s.created_by = ${scope.username}
        or s.tenant_id = any(${[...scope.administeredTenantIds]}::int[]))))
    limit 1`.execute(db)
  return rows.length > 0
}

/** What can be named within a deployment, or within the blueprint that one is being made from. */
export type NamedWithin = 'scaling_group' | 'node_id' | 'node_type' | 'operation_name' | 'node_instance'

export type Key = { readonly tenantId: number; readonly id: string }

export async function existsInDeployment(
  db: Database,
  { tenantId, id }: Key,
  type: NamedWithin,
  name: string,
): Promise<boolean> {
  const here = sql`tenant_id = ${tenantId} and deployment_id = ${id}`
  const found = {
    scaling_group: sql`deployments where tenant_id = ${tenantId} and id = ${id}
      and scaling_groups::jsonb ? ${name}`,
    node_id: sql`nodes where ${here} and id = ${name}`,
    node_type: sql`nodes where ${here} and type = ${name}`,
    operation_name: sql`nodes where ${here} and operations::jsonb ? ${name}`,
    node_instance: sql`node_instances where ${here} and id = ${name}`,
  }[type]
  const { rows } = await sql<{ found: boolean }>`select exists (select from ${found}) as found`.execute(db)
  return rows[0]?.found ?? false
}

export async function existsInBlueprint(
  db: Database,
  { tenantId, id }: Key,
  type: Exclude<NamedWithin, 'node_instance'>,
  name: string,
): Promise<boolean> {
  const nodes = sql`json_array_elements(b.plan -> 'nodes') as n`
  const found = {
    scaling_group: sql`(select b.plan -> 'scaling_groups' -> ${name} as found) g where g.found is not null`,
    node_id: sql`${nodes} where n ->> 'name' = ${name}`,
    node_type: sql`${nodes} where n ->> 'type' = ${name}`,
    operation_name: sql`${nodes} where n -> 'operations' -> ${name} is not null`,
  }[type]
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${found}) as found
    from blueprints b where b.tenant_id = ${tenantId} and b.id = ${id}`.execute(db)
  return rows[0]?.found ?? false
}
