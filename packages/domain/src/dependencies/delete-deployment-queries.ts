import type { Transaction } from '@tutti/storage'
import { awaitAgain } from './awaited-queries.ts'
import { clearConsumerLabels } from './consumers-queries.ts'

/**
 * Takes everything of the deployment with it: what refers to it by a key, its events, and the labels by which others
 * say that it uses them. What depends on it waits for it to come back.
 */
export async function deleteDeployment(
  transaction: Transaction,
  tenantId: number,
  id: string,
): Promise<void> {
  await transaction
    .deleteFrom('events')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', id)
    .execute()
  await clearConsumerLabels(transaction, tenantId, id)
  await awaitAgain(transaction, tenantId, id)
  await transaction.deleteFrom('deployments').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}
