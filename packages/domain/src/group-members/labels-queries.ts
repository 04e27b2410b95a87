import type { LabelPair } from '@tutti/api'
import type { Database, Transaction } from '@tutti/storage'
import { deploymentGroupLabels, replaceLabels } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'
import { consumerKey, parentKey, setDeploymentLabels } from '../dependencies/index.ts'

type Group = { readonly tenantId: number; readonly id: string }

/** The labels that members of the group get; one that is computed for each deployment is none of them. */
export function readGroupLabels(db: Database, { tenantId, id }: Group): Promise<LabelPair[]> {
  return db
    .selectFrom('deployment_group_labels')
    .select(['key', 'value'])
    .where('tenant_id', '=', tenantId)
    .where('deployment_group_id', '=', id)
    .where('key', '<>', consumerKey)
    .execute()
}

/** Locks deployments of the tenant, in one order for all: other groups have some of the same members. */
export async function lockForLabels(
  transaction: Transaction,
  tenantId: number,
  ids: readonly string[],
): Promise<void> {
  await sql`
    select from deployments where tenant_id = ${tenantId} and id = any(${[...ids]}::text[])
    order by id for no key update`.execute(transaction)
}

/**
 * Makes the labels of the group exactly these. What it loses, these members of it lose too, unless another group of
 * theirs gives it to them; what it gets, they get when they join it again. The caller holds the group's row.
 */
export async function setGroupLabels(
  transaction: Transaction,
  group: Group,
  labels: readonly LabelPair[],
  members: readonly string[],
  username: string,
): Promise<void> {
  const before = await readGroupLabels(transaction, group)
  await replaceLabels(transaction, deploymentGroupLabels, group, labels, username)
  const lost = before.filter(
    (old) => !labels.some(({ key, value }) => key === old.key && value === old.value),
  )
  if (lost.length === 0 || members.length === 0) return
  await lockForLabels(transaction, group.tenantId, members)
  const others = lost.filter(({ key }) => key !== parentKey)
  if (others.length > 0) {
    await sql`delete from deployment_labels l where ${isLost(group, others, members)}`.execute(transaction)
  }
  const parents = lost.filter(({ key }) => key === parentKey)
  if (parents.length === 0) return
  const { rows } = await sql<LabelPair & { deployment_id: string }>`
    select l.deployment_id, l.key, l.value from deployment_labels l where ${isLost(group, parents, members)}
    order by l.deployment_id, l.value`.execute(transaction)
  for (const [id, own] of Map.groupBy(rows, (row) => row.deployment_id)) {
    await setDeploymentLabels(transaction, { tenantId: group.tenantId, id }, own, username, 'remove')
  }
}

/** Of the labels `l`: one of these, on one of the members, which no other group of that member has. */
function isLost(
  { tenantId, id }: Group,
  labels: readonly LabelPair[],
  members: readonly string[],
): RawBuilder<unknown> {
  return sql`l.tenant_id = ${tenantId} and l.deployment_id = any(${[...members]}::text[])
    and (l.key, l.value) in (
      select * from unnest(${labels.map(({ key }) => key)}::text[], ${labels.map(({ value }) => value)}::text[]))
    and not exists (
      select from deployment_group_members m
      join deployment_group_labels g
        on g.tenant_id = m.tenant_id and g.deployment_group_id = m.deployment_group_id
      where m.tenant_id = l.tenant_id and m.deployment_id = l.deployment_id and m.deployment_group_id <> ${id}
        and g.key = l.key and g.value = l.value)`
}
