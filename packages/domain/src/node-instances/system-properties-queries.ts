import { type Transaction, toJson } from '@tutti/storage'
import { sql } from 'kysely'
import type { JsonObject } from '../json-object.ts'

/** Of instances of one deployment: what else is named is nobody's here. Locked in one order for all. */
export async function lockSystemProperties(
  transaction: Transaction,
  { tenantId, deploymentId }: { readonly tenantId: number; readonly deploymentId: string },
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly system_properties: JsonObject }[]> {
  const { rows } = await sql<{ id: string; system_properties: JsonObject }>`
    select id, system_properties from node_instances
    where tenant_id = ${tenantId} and deployment_id = ${deploymentId} and id = any(${[...ids]}::text[])
    order by id for no key update`.execute(transaction)
  return rows
}

export type SystemProperties = {
  readonly id: string
  readonly properties: JsonObject
  readonly hasConfigurationDrift: boolean
  readonly isStatusCheckOk: boolean
}

/** The version stays, as it does when a state is set: what an operation that runs just then writes is something else. */
export async function updateSystemProperties(
  transaction: Transaction,
  tenantId: number,
  changes: readonly SystemProperties[],
): Promise<void> {
  await sql`
    update node_instances i set system_properties = c.properties,
      has_configuration_drift = c.drift, is_status_check_ok = c.is_ok
    from unnest(
      ${changes.map(({ id }) => id)}::text[],
      ${changes.map(({ properties }) => toJson(properties))}::json[],
      ${changes.map((one) => one.hasConfigurationDrift)}::boolean[],
      ${changes.map((one) => one.isStatusCheckOk)}::boolean[]
    ) as c (id, properties, drift, is_ok)
    where i.tenant_id = ${tenantId} and i.id = c.id`.execute(transaction)
}
