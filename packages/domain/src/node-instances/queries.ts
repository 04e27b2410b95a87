import {
  type Database,
  type ListedResource,
  type OwnedTable,
  ownedRows,
  ownerFields,
  type Transaction,
  toJson,
} from '@tutti/storage'
import { sql } from 'kysely'
import { inDeploymentGroup } from '../group-members/index.ts'

export const nodeInstanceTable: OwnedTable = { model: 'NodeInstance', table: 'node_instances', id: 'id' }

/** docs/reference/nodes-and-instances.md, "Node instances". */
export const nodeInstanceResource: ListedResource = {
  model: 'NodeInstance',
  from: sql`node_instances i left join tenants on tenants.id = i.tenant_id`,
  fields: {
    id: { column: sql`i.id` },
    node_id: { column: sql`i.node_id` },
    deployment_id: { column: sql`i.deployment_id` },
    host_id: { column: sql`i.host_id` },
    index: { column: sql`i.instance_index` },
    state: { column: sql`i.state` },
    version: { column: sql`i.version` },
    runtime_properties: { column: sql`i.runtime_properties` },
    system_properties: { column: sql`i.system_properties` },
    relationships: { column: sql`i.relationships` },
    scaling_groups: { column: sql`i.scaling_groups` },
    has_configuration_drift: { column: sql`i.has_configuration_drift` },
    is_status_check_ok: { column: sql`i.is_status_check_ok` },
    ...ownerFields('i'),
  },
  extraFilters: { deployment_group_id: inDeploymentGroup('i') },
  ...ownedRows('i'),
}

export type LockedInstance = {
  readonly deploymentId: string
  readonly version: number
  readonly state: string
  readonly runtimeProperties: Readonly<Record<string, unknown>>
  readonly systemProperties: Readonly<Record<string, unknown>>
  readonly relationships: unknown
}

/** Whoever changes an instance decides under this lock, so that no change is written over another. */
export async function lockInstance(
  transaction: Transaction,
  tenantId: number,
  id: string,
): Promise<LockedInstance | undefined> {
  return transaction
    .selectFrom('node_instances')
    .select([
      'deployment_id as deploymentId',
      'version',
      'state',
      'runtime_properties as runtimeProperties',
      'system_properties as systemProperties',
      'relationships',
    ])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export type InstanceChange = {
  readonly state?: string
  readonly runtimeProperties?: unknown
  readonly relationships?: unknown
  readonly system?: {
    readonly properties: unknown
    readonly hasConfigurationDrift: boolean
    readonly isStatusCheckOk: boolean
  }
}

/** Writes a change and counts it. */
export async function updateInstance(
  transaction: Transaction,
  tenantId: number,
  id: string,
  { state, runtimeProperties, relationships, system }: InstanceChange,
): Promise<void> {
  await transaction
    .updateTable('node_instances')
    .set({
      version: sql`version + 1`,
      ...(state !== undefined && { state }),
      ...(runtimeProperties !== undefined && { runtime_properties: toJson(runtimeProperties) }),
      ...(relationships !== undefined && { relationships: toJson(relationships) }),
      ...(system !== undefined && {
        system_properties: toJson(system.properties),
        has_configuration_drift: system.hasConfigurationDrift,
        is_status_check_ok: system.isStatusCheckOk,
      }),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

export async function workflowOf(
  db: Database,
  tenantId: number,
  executionId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('executions')
    .select('workflow_id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', executionId)
    .executeTakeFirst()
  return row?.workflow_id
}

/** The highest index of each node of the deployment; 0 for those without instances. */
export async function readLastIndexes(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; index: number }>`
    select n.id, coalesce(max(i.instance_index), 0) as index from nodes n
    left join node_instances i
      on i.tenant_id = n.tenant_id and i.deployment_id = n.deployment_id and i.node_id = n.id
    where n.tenant_id = ${tenantId} and n.deployment_id = ${deploymentId}
    group by n.id`.execute(db)
  return new Map(rows.map(({ id, index }) => [id, index]))
}

/** Which of these ids the tenant uses already, in whatever deployment. */
export async function takenInstanceIds(
  db: Database,
  tenantId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from node_instances where tenant_id = ${tenantId} and id = any(${[...ids]}::text[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export type NewInstance = {
  readonly state?: string | null
  readonly created_by?: string | null
  readonly id: string
  readonly node_id: string
  readonly host_id?: string | null
  readonly index: number
  readonly relationships?: unknown
  readonly scaling_groups?: unknown
  readonly runtime_properties?: unknown
  readonly system_properties?: unknown
  readonly hasConfigurationDrift: boolean
  readonly isStatusCheckOk: boolean
}

type InstanceOwner = {
  readonly tenant_id: number
  readonly deploymentId: string
  readonly visibility: 'private' | 'tenant' | 'global'
  readonly created_by: string
}

export async function insertInstances(
  transaction: Transaction,
  owner: InstanceOwner,
  instances: readonly NewInstance[],
): Promise<void> {
  if (instances.length === 0) return
  const column = <T>(read: (instance: NewInstance) => T) => instances.map(read)
  await sql`
    insert into node_instances (tenant_id, deployment_id, visibility, created_by, state, id, node_id, host_id, instance_index,
      relationships, scaling_groups, runtime_properties, system_properties, has_configuration_drift, is_status_check_ok)
    select ${owner.tenant_id}, ${owner.deploymentId}, ${owner.visibility}, coalesce(i.created_by, ${owner.created_by}),
      coalesce(i.state, 'uninitialized'), i.id, i.node_id, i.host_id, i.index, i.relationships, i.scaling_groups,
      i.runtime_properties, i.system_properties, i.drift, i.is_ok
    from unnest(
      ${column(({ id }) => id)}::text[],
      ${column(({ node_id }) => node_id)}::text[],
      ${column(({ host_id }) => host_id ?? null)}::text[],
      ${column(({ index }) => index)}::int[],
      ${column(({ relationships }) => toJson(relationships ?? []))}::json[],
      ${column(({ scaling_groups }) => toJson(scaling_groups ?? []))}::json[],
      ${column(({ runtime_properties }) => toJson(runtime_properties ?? {}))}::json[],
      ${column(({ system_properties }) => toJson(system_properties ?? {}))}::json[],
      ${column(({ hasConfigurationDrift }) => hasConfigurationDrift)}::boolean[],
      ${column(({ isStatusCheckOk }) => isStatusCheckOk)}::boolean[],
      ${column(({ state }) => state ?? null)}::text[],
      ${column((instance) => instance.created_by ?? null)}::text[]
    ) as i (id, node_id, host_id, index, relationships, scaling_groups, runtime_properties, system_properties, drift,
      is_ok, state, created_by)`.execute(transaction)
}

/**
 * Those of a deployment plan, in batches of JSON text: a plan of a hundred thousand instances is made in a thread, and
 * nobody here should read it.
 */
export async function insertPlannedInstances(
  transaction: Transaction,
  owner: InstanceOwner,
  batches: readonly string[],
): Promise<void> {
  for (const batch of batches) {
    await sql`
      insert into node_instances (tenant_id, deployment_id, visibility, created_by, id, node_id, host_id,
        instance_index, relationships, scaling_groups)
      select ${owner.tenant_id}, ${owner.deploymentId}, ${owner.visibility}, ${owner.created_by}, i.*
      from json_to_recordset(${batch}::json) as i(
        id text, node_id text, host_id text, instance_index int, relationships json, scaling_groups json)`.execute(
      transaction,
    )
  }
}

export async function deleteInstance(db: Database, tenantId: number, id: string): Promise<void> {
  await db.deleteFrom('node_instances').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}
