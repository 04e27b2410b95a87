import { ApiError, type DatedLabel } from '@tutti/api'
import type { Database, Transaction } from '@tutti/storage'
import { addLabels, deploymentLabels, removeLabels, replaceLabels } from '@tutti/storage'
import { consumerKey, setConsumerLabels } from './consumers-queries.ts'
import { findCircle } from './edges-queries.ts'
import { holdTargets } from './targets-queries.ts'

export const parentKey = 'csys-obj-parent'

/**
 * Adds labels to a deployment, removes them, or makes its labels exactly these. Labels that are computed are neither set nor removed.
 * The caller holds the deployment's row.
 *
 * @throws deployment_parent_not_found_error, conflict_error for an environment inside of itself
 */
export async function setDeploymentLabels(
  transaction: Transaction,
  owner: { readonly tenantId: number; readonly id: string },
  labels: readonly DatedLabel[],
  createdBy: string,
  how: 'add' | 'remove' | 'replace',
): Promise<void> {
  const { tenantId, id } = owner
  const own = labels.filter(({ key }) => key !== consumerKey)
  const parents = own.filter(({ key }) => key === parentKey).map(({ value }) => value)
  const before = await parentsOf(transaction, tenantId, id)
  const added = how === 'remove' ? [] : parents.filter((parent) => !before.includes(parent))
  await checkParents(transaction, tenantId, id, added, createdBy)
  if (how === 'add') await addLabels(transaction, deploymentLabels, owner, own, createdBy)
  else if (how === 'remove') await removeLabels(transaction, deploymentLabels, owner, own)
  else await replaceLabels(transaction, deploymentLabels, owner, own, createdBy)
  const isLess = how !== 'add' && before.some((parent) => parents.includes(parent) === (how === 'remove'))
  if (added.length > 0 || isLess) await setConsumerLabels(transaction, tenantId, id, createdBy)
}

async function checkParents(
  transaction: Transaction,
  tenantId: number,
  id: string,
  added: readonly string[],
  username: string,
): Promise<void> {
  if (added.length === 0) return
  // First, so that no circle tells of a deployment which the user does not see.
  const found = await holdTargets(transaction, tenantId, username, added)
  const missing = added.find((parent) => !found.has(parent))
  if (missing !== undefined) {
    throw new ApiError(
      'deployment_parent_not_found_error',
      `Environment referenced by \`${parentKey}\` not found: ${missing}`,
    )
  }
  const circle = await findCircle(transaction, 'parents', tenantId, id, added)
  if (circle === undefined) return
  throw new ApiError('conflict_error', `cyclic dependencies: ${[...new Set([id, circle])].join(', ')}`)
}

async function parentsOf(db: Database, tenantId: number, id: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('deployment_labels')
    .select('value')
    .where('tenant_id', '=', tenantId)
    .where('deployment_id', '=', id)
    .where('key', '=', parentKey)
    .execute()
  return rows.map((row) => row.value)
}
