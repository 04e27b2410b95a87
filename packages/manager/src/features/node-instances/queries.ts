import { type Database, type ListedResource, ownerFields, toJson } from '@tutti/storage'
import { sql } from 'kysely'

/** spec/rest-spec-b.md 2.7, spec/rest-facts-b.md 9. */
export const nodeInstanceResource: ListedResource = {
  model: 'NodeInstance',
  from: sql`node_instances i join tenants on tenants.id = i.tenant_id`,
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
  search: sql`i.id`,
  tenantId: sql`i.tenant_id`,
  createdBy: sql`i.created_by`,
  visibility: sql`i.visibility`,
  tieBreaker: sql`i.id`,
}

export const instanceIdIs = (id: string) => sql`i.id = ${id}`

export type LockedInstance = {
  readonly version: number
  readonly state: string
  readonly runtimeProperties: Readonly<Record<string, unknown>>
  readonly systemProperties: Readonly<Record<string, unknown>>
  readonly relationships: unknown
}

/** Whoever changes an instance decides under this lock, so that no change is written over another. */
export async function lockInstance(
  transaction: Database,
  tenantId: number,
  id: string,
): Promise<LockedInstance | undefined> {
  return transaction
    .selectFrom('node_instances')
    .select([
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
  transaction: Database,
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
