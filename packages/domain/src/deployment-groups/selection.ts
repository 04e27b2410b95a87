import {
  checkIdentifier,
  type FilterRule,
  foreignGlobal,
  notFound,
  parseFilterRules,
  type RouteBody,
} from '@tutti/api'
import { deploymentGroupTable, type Transaction } from '@tutti/storage'
import { type Actor, isHiddenFrom, ownTenantScope, tenantOf, tenantScope } from '../actor.ts'
import { rulesOf } from '../filters/index.ts'
import { requireOwned } from '../owned.ts'
import { findByIds, findByRules, visibleMembers } from './queries.ts'

export type Selection = Pick<
  RouteBody<'deploymentGroups.put'>,
  'deployment_ids' | 'deployments_from_group' | 'filter_id' | 'filter_rules'
>

/** The deployments that a request names, in whichever ways; undefined when it names none at all. */
export async function selectedDeployments(
  actor: Actor,
  transaction: Transaction,
  selection: Selection,
): Promise<readonly string[] | undefined> {
  const { deployment_ids: ids, deployments_from_group: group, filter_id } = selection
  if (filter_id != null) checkIdentifier('filter_id', filter_id)
  const rules = parseFilterRules(selection.filter_rules ?? [], 'deployments')
  if (ids == null && group == null && filter_id == null && rules.length === 0) return undefined
  return [
    ...new Set([
      ...(ids == null ? [] : await byIds(actor, transaction, ids)),
      ...(group == null ? [] : await fromGroup(actor, transaction, group)),
      ...(await byFilter(actor, transaction, filter_id ?? undefined, rules)),
    ]),
  ]
}

/** @throws not_found_error, illegal_action_error for a global one of another tenant */
async function byIds(actor: Actor, transaction: Transaction, ids: readonly string[]) {
  const { id: tenantId } = tenantOf(actor)
  const found = new Map((await findByIds(transaction, tenantId, ids)).map((row) => [row.id, row]))
  for (const id of ids) {
    const row = found.get(id)
    if (row === undefined || isHiddenFrom(actor, row)) throw notFound('Deployment', id)
    if (row.tenant_id !== tenantId) throw foreignGlobal(id, row.tenant_name)
  }
  return ids
}

async function fromGroup(actor: Actor, transaction: Transaction, id: string) {
  const group = await requireOwned(actor, transaction, deploymentGroupTable, id)
  if (group.tenant_id !== tenantOf(actor).id) throw foreignGlobal(id, group.tenant_name)
  return visibleMembers(transaction, group.tenant_id, group.id, tenantScope(actor))
}

/**
 * The tenant's own deployments that the caller sees and that fit the stored filter and the rules together. No rules name
 * no deployment: clients send an empty list along with the ids that they mean, and a stored filter may have none either.
 */
async function byFilter(
  actor: Actor,
  transaction: Transaction,
  filterId: string | undefined,
  rules: readonly FilterRule[],
): Promise<readonly string[]> {
  const all = (await rulesOf(actor, 'deployments', [filterId], rules)) ?? []
  return all.length === 0 ? [] : findByRules(transaction, all, ownTenantScope(actor))
}
