import { type Database, inParts, type Transaction, toJson } from '@tutti/storage'
import { sql } from 'kysely'

/** A node instance as it is kept to be restored later; the fields are those of the resource. */
export type InstanceRecord = {
  readonly id: string
  readonly node_id: string
  readonly deployment_id: string
  readonly host_id: string | null
  readonly index: number
  readonly state: string
  readonly version: number
  readonly runtime_properties: unknown
  readonly system_properties: unknown
  readonly relationships: readonly {
    readonly type: string
    readonly target_name: string
    readonly target_id: string
  }[]
  readonly scaling_groups: readonly { readonly id: string; readonly name: string }[]
  readonly has_configuration_drift: boolean
  readonly is_status_check_ok: boolean
}

/** All instances of a deployment, in a stable order. */
export async function readInstanceRecords(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<readonly InstanceRecord[]> {
  const { rows } = await sql<InstanceRecord>`
    select id, node_id, deployment_id, host_id, instance_index as index, state, version, runtime_properties,
      system_properties, relationships, scaling_groups, has_configuration_drift, is_status_check_ok
    from node_instances i
    where tenant_id = ${tenantId} and deployment_id = ${deploymentId}
    order by node_id, instance_index`.execute(db)
  return rows
}

/** Gives instances back what the records say of them; it counts as a change of those that differ. */
export async function restoreInstances(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
  records: readonly InstanceRecord[],
): Promise<void> {
  for (const part of inParts(records)) {
    const column = <T>(read: (record: InstanceRecord) => T) => part.map(read)
    await sql`
      update node_instances i set state = r.state, runtime_properties = r.runtime_properties,
        system_properties = r.system_properties, relationships = r.relationships, version = i.version + 1,
        has_configuration_drift = r.drift, is_status_check_ok = r.is_ok
      from unnest(
        ${column(({ id }) => id)}::text[],
        ${column(({ state }) => state)}::text[],
        ${column((one) => toJson(one.runtime_properties))}::json[],
        ${column((one) => toJson(one.system_properties))}::json[],
        ${column((one) => toJson(one.relationships))}::json[],
        ${column((one) => one.has_configuration_drift)}::boolean[],
        ${column((one) => one.is_status_check_ok)}::boolean[]
      ) as r (id, state, runtime_properties, system_properties, relationships, drift, is_ok)
      where i.tenant_id = ${tenantId} and i.deployment_id = ${deploymentId} and i.id = r.id
        and (i.state, i.runtime_properties::text, i.system_properties::text, i.relationships::text)
          is distinct from
          (r.state, r.runtime_properties::text, r.system_properties::text, r.relationships::text)`.execute(
      transaction,
    )
  }
}
