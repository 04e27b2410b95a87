import type { Transaction } from '@tutti/storage'
import { sql } from 'kysely'

export const consumerKey = 'csys-consumer-id'

/**
 * Says with labels `csys-consumer-id` on what the deployment uses that it is used by it: on its environments and on the
 * targets of its dependencies, but on none of its components (docs/reference/environments-and-dependencies.md,
 * "Consumers"). For whoever has just changed either, and holds the deployment's row.
 */
export async function setConsumerLabels(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
  createdBy: string,
): Promise<void> {
  await sql`
    with used as (
      select value as id from deployment_labels
      where tenant_id = ${tenantId} and deployment_id = ${deploymentId} and key = 'csys-obj-parent'
      union
      select target_deployment_id from inter_deployment_dependencies
      where tenant_id = ${tenantId} and source_deployment_id = ${deploymentId}
        and target_deployment_id is not null and dependency_creator not like 'component.%'
    ), gone as (
      delete from deployment_labels
      where tenant_id = ${tenantId} and key = ${consumerKey} and value = ${deploymentId}
        and deployment_id not in (select id from used)
    ), held as (
      select d.id from deployments d join used on used.id = d.id
      where d.tenant_id = ${tenantId} order by d.id for key share of d
    )
    insert into deployment_labels (tenant_id, deployment_id, key, value, created_by)
    select ${tenantId}, id, ${consumerKey}, ${deploymentId}, ${createdBy} from held
    on conflict do nothing`.execute(transaction)
}

/** Nothing is used any more by a deployment that is about to go. */
export async function clearConsumerLabels(
  transaction: Transaction,
  tenantId: number,
  deploymentId: string,
): Promise<void> {
  await transaction
    .deleteFrom('deployment_labels')
    .where('tenant_id', '=', tenantId)
    .where('key', '=', consumerKey)
    .where('value', '=', deploymentId)
    .execute()
}
