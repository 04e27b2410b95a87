import type { Transaction } from '@tutti/storage'
import { deploymentGroupTable, holdGlobals } from '@tutti/storage'
import { sql } from 'kysely'
import { parentKey, setDeploymentLabels } from '../dependencies/index.ts'
import { lockForLabels, readGroupLabels } from './labels-queries.ts'

/**
 * Puts deployments of the tenant into a group, with the labels of the group (docs/reference/groups.md, "Labels of a
 * group"). What is in it already stays as it is. False when the group has just gone; its row is held, so that labels
 * which it gets at this moment reach these members or were seen here.
 *
 * @throws what `setDeploymentLabels` throws, for a group whose members are in an environment
 */
export async function joinGroup(
  transaction: Transaction,
  tenantId: number,
  groupId: string,
  deploymentIds: readonly string[],
  createdBy: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from deployment_groups where tenant_id = ${tenantId} and id = ${groupId} for share`.execute(
    transaction,
  )
  if (rows.length === 0) return false
  if (deploymentIds.length === 0) return true
  const labels = await readGroupLabels(transaction, { tenantId, id: groupId })
  const ids = [...deploymentIds]
  // All of them before the first is changed.
  if (labels.length > 0) await lockForLabels(transaction, tenantId, ids)
  await sql`
    insert into deployment_group_members (tenant_id, deployment_group_id, deployment_id)
    select ${tenantId}, ${groupId}, d.id from unnest(${ids}::text[]) as d (id) order by d.id
    on conflict do nothing`.execute(transaction)
  const isParent = ({ key }: { readonly key: string }) => key === parentKey
  const others = labels.filter((label) => !isParent(label))
  if (others.length > 0) {
    await sql`
      insert into deployment_labels (tenant_id, deployment_id, key, value, created_by)
      select ${tenantId}, d.id, l.key, l.value, ${createdBy}
      from unnest(${ids}::text[]) as d (id),
        unnest(${others.map(({ key }) => key)}::text[], ${others.map(({ value }) => value)}::text[]) as l (key, value)
      on conflict do nothing`.execute(transaction)
  }
  const parents = labels.filter(isParent)
  if (parents.length === 0) return true
  // What puts a deployment into an environment has rules of its own, for each.
  for (const id of ids.sort()) {
    await setDeploymentLabels(transaction, { tenantId, id }, parents, createdBy, 'add')
  }
  return true
}

/**
 * Puts a deployment into groups by their names; those that do not exist are made. Returns the names of those that it
 * could not join: private ones of somebody else, and global ones of other tenants.
 */
export async function joinGroups(
  transaction: Transaction,
  deployment: { readonly tenantId: number; readonly id: string; readonly createdBy: string },
  groupIds: readonly string[],
): Promise<readonly string[]> {
  const { tenantId, id, createdBy } = deployment
  if (groupIds.length === 0) return []
  await holdGlobals(transaction, deploymentGroupTable)
  const closed: string[] = []
  // In one order for all, so that two creations do not wait for each other's groups in a circle.
  for (const groupId of [...new Set(groupIds)].sort()) {
    await sql`
      insert into deployment_groups (tenant_id, id, created_by)
      select ${tenantId}, ${groupId}, ${createdBy}
      where not exists (select from deployment_groups where id = ${groupId} and visibility = 'global')
      on conflict do nothing`.execute(transaction)
    const { rows } = await sql`
      select from deployment_groups
      where tenant_id = ${tenantId} and id = ${groupId}
        and (visibility <> 'private' or created_by = ${createdBy})`.execute(transaction)
    const isOpen = rows.length > 0 && (await joinGroup(transaction, tenantId, groupId, [id], createdBy))
    if (!isOpen) closed.push(groupId)
  }
  return closed
}
