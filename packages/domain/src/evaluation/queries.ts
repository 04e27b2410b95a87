import type { Json, JsonObject, StoredNode, StoredNodeInstance } from '@tutti/dsl'
import type { Database, Scope } from '@tutti/storage'
import { deploymentLabels, isSeenLabel, ownedAs, visibleIn } from '@tutti/storage'
import { sql } from 'kysely'
import { consumerKey } from '../dependencies/index.ts'

/** What functions may ask of the deployment itself. */
export type EvaluatedDeployment = {
  readonly tenantId: number
  readonly tenantName: string
  readonly id: string
  readonly displayName: string
  readonly blueprintId: string
  readonly createdBy: string
  readonly inputs: JsonObject
  readonly capabilities: { readonly [name: string]: { readonly value: Json } }
}

/** The deployment of that id that the scope shows; its own tenants' before a global one, or the named tenant's. */
export async function findEvaluatedDeployment(
  db: Database,
  scope: Scope,
  id: string,
  tenantName?: string,
): Promise<EvaluatedDeployment | undefined> {
  const { rows } = await sql<EvaluatedDeployment>`
    select d.tenant_id as "tenantId", t.name as "tenantName", d.id, d.display_name as "displayName",
      d.blueprint_id as "blueprintId", d.created_by as "createdBy", d.inputs, d.capabilities
    from deployments d join tenants t on t.id = d.tenant_id
    where d.id = ${id} and (
      (d.tenant_id = any(${[...scope.tenantIds]}::int[]) and (
        d.visibility <> 'private' or d.created_by = ${scope.username}
        or d.tenant_id = any(${[...scope.administeredTenantIds]}::int[])))
      or (d.tenant_id = any(${[...scope.globalTenantIds]}::int[]) and d.visibility = 'global'))
      ${tenantName === undefined ? sql`` : sql`and t.name = ${tenantName}`}
    order by d.tenant_id = any(${[...scope.tenantIds]}::int[]) desc
    limit 1`.execute(db)
  return rows[0]
}

type Key = { readonly tenantId: number; readonly id: string }

export async function findNode(db: Database, deployment: Key, nodeId: string): Promise<StoredNode | null> {
  const row = await db
    .selectFrom('nodes')
    .select(['id', 'properties', 'relationships'])
    .where('tenant_id', '=', deployment.tenantId)
    .where('deployment_id', '=', deployment.id)
    .where('id', '=', nodeId)
    .executeTakeFirst()
  return (row as StoredNode | undefined) ?? null
}

const instanceColumns = [
  'id',
  'node_id',
  'instance_index as index',
  'runtime_properties',
  'relationships',
  'scaling_groups',
] as const

export async function findInstance(
  db: Database,
  deployment: Key,
  instanceId: string,
): Promise<StoredNodeInstance | null> {
  const row = await db
    .selectFrom('node_instances')
    .select(instanceColumns)
    .where('tenant_id', '=', deployment.tenantId)
    .where('deployment_id', '=', deployment.id)
    .where('id', '=', instanceId)
    .executeTakeFirst()
  return (row as StoredNodeInstance | undefined) ?? null
}

export async function listInstancesOf(
  db: Database,
  deployment: Key,
  nodeId: string,
): Promise<readonly StoredNodeInstance[]> {
  const rows = await db
    .selectFrom('node_instances')
    .select(instanceColumns)
    .where('tenant_id', '=', deployment.tenantId)
    .where('deployment_id', '=', deployment.id)
    .where('node_id', '=', nodeId)
    .orderBy('instance_index')
    .execute()
  return rows as unknown as StoredNodeInstance[]
}

/** Labels that name other deployments name those that the scope shows. */
export async function listLabelValues(
  db: Database,
  scope: Scope,
  deployment: Key,
  key: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ value: string }>`
    select l.value from deployment_labels l
    where l.tenant_id = ${deployment.tenantId} and l.deployment_id = ${deployment.id} and l.key = ${key}
      and ${isSeenLabel(deploymentLabels, scope)}
    order by l.created_at, l.value`.execute(db)
  return rows.map((row) => row.value)
}

/** Deployments that a `csys-consumer-id` label of this one names, as far as the scope shows them. */
export async function listConsumers(db: Database, scope: Scope, deployment: Key) {
  const { rows } = await sql<{ id: string; displayName: string }>`
    select d.id, d.display_name as "displayName" from deployment_labels l
    join deployments d on d.tenant_id = l.tenant_id and d.id = l.value
    where l.tenant_id = ${deployment.tenantId} and l.deployment_id = ${deployment.id} and l.key = ${consumerKey}
      and ${isSeenLabel(deploymentLabels, scope)}
    order by d.id`.execute(db)
  return rows
}

/** The deployments of a group of the tenant; null when the scope shows none of that id. */
export async function listGroupMembers(
  db: Database,
  scope: Scope,
  tenantId: number,
  groupId: string,
): Promise<readonly string[] | null> {
  const { rows } = await sql<{ ids: string[] }>`
    select array(
      select m.deployment_id from deployment_group_members m
      where m.tenant_id = g.tenant_id and m.deployment_group_id = g.id order by m.deployment_id) as ids
    from deployment_groups g
    where g.tenant_id = ${tenantId} and g.id = ${groupId} and ${visibleIn(ownedAs('g'), scope)}`.execute(db)
  return rows[0]?.ids ?? null
}
