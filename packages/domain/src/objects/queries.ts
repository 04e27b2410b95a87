import {
  blueprintLabels,
  type Database,
  deploymentLabels,
  isSeenLabel,
  type LabelledTable,
  partsList,
  type Scope,
  writtenOutBy,
} from '@tutti/storage'
import { sql } from 'kysely'

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
        where l.tenant_id = o.tenant_id and l.${sql.ref(labelled.idColumn)} = o.id
          and ${isSeenLabel(labelled, scope)}), '[]') as labels
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

/** Which of these names there are in the deployment. */
export async function namedInDeployment(
  db: Database,
  { tenantId, id }: Key,
  type: NamedWithin,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const here = sql`tenant_id = ${tenantId} and deployment_id = ${id}`
  const wanted = sql`any(${[...names]}::text[])`
  const found = {
    scaling_group: sql`select name from deployments, json_object_keys(scaling_groups) name
      where tenant_id = ${tenantId} and id = ${id} and name = ${wanted}`,
    node_id: sql`select id as name from nodes where ${here} and id = ${wanted}`,
    node_type: sql`select distinct type as name from nodes where ${here} and type = ${wanted}`,
    operation_name: sql`select distinct name from nodes, json_object_keys(operations) name
      where ${here} and name = ${wanted}`,
    node_instance: sql`select id as name from node_instances where ${here} and id = ${wanted}`,
  }[type]
  const { rows } = await sql<{ name: string }>`${found}`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

const planParts = sql`${partsList(sql`b.plan_parts`)} as parts (list)`
const writtenOutNode = sql`${writtenOutBy(sql`node`, sql`parts.list`)}::json`

/** Which of these names there are in the blueprint. */
export async function namedInBlueprint(
  db: Database,
  { tenantId, id }: Key,
  type: Exclude<NamedWithin, 'node_instance'>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const nodes = sql`json_array_elements(b.plan -> 'nodes') as n`
  const found = {
    scaling_group: sql`json_object_keys(b.plan -> 'scaling_groups') as name`,
    node_id: sql`(select n ->> 'name' as name from ${nodes}) x`,
    node_type: sql`(select n ->> 'type' as name from ${nodes}) x`,
    // Nodes of a type refer to the same operations.
    operation_name: sql`(select json_object_keys(${writtenOutNode} -> 'operations') as name
      from (select distinct on ((n -> 'operations')::text) n as node from ${nodes}) kinds, ${planParts}) x`,
  }[type]
  const { rows } = await sql<{ name: string }>`
    select distinct name from blueprints b, lateral ${found}
    where b.tenant_id = ${tenantId} and b.id = ${id} and name = any(${[...names]}::text[])`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** The types that a node's type is derived from, itself among them; undefined when no node of the deployment is of it. */
export async function hierarchyInDeployment(
  db: Database,
  { tenantId, id }: Key,
  type: string,
): Promise<readonly string[] | undefined> {
  const { rows } = await sql<{ hierarchy: readonly string[] }>`
    select type_hierarchy as hierarchy from nodes
    where tenant_id = ${tenantId} and deployment_id = ${id} and type = ${type} limit 1`.execute(db)
  return rows[0]?.hierarchy
}

/** The same in the blueprint. */
export async function hierarchyInBlueprint(
  db: Database,
  { tenantId, id }: Key,
  type: string,
): Promise<readonly string[] | undefined> {
  const { rows } = await sql<{ hierarchy: readonly string[] }>`
    select ${writtenOutNode} -> 'type_hierarchy' as hierarchy
    from blueprints b, lateral json_array_elements(b.plan -> 'nodes') as node, lateral ${planParts}
    where b.tenant_id = ${tenantId} and b.id = ${id} and node ->> 'type' = ${type} limit 1`.execute(db)
  return rows[0]?.hierarchy
}
