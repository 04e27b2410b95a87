import { foreignGlobal, notFound, parseFilterRules, type RouteBody } from '@tutti/api'
import { type Database, deploymentGroupTable } from '@tutti/storage'
import { requireOwned } from '../../owned.ts'
import { isHiddenFrom, ownTenantScope, type Request, tenantOf, tenantScope } from '../../request.ts'
import { rulesOf } from '../filters/index.ts'
import { findByIds, findByRules, visibleMembers } from './queries.ts'

export type Selection = Pick<
  RouteBody<'deploymentGroups.put'>,
  'deployment_ids' | 'deployments_from_group' | 'filter_id' | 'filter_rules'
>

/** The deployments that a request names, in whichever ways; undefined when it names none at all. */
export async function selectedDeployments(
  request: Request,
  transaction: Database,
  selection: Selection,
): Promise<readonly string[] | undefined> {
  const { deployment_ids: ids, deployments_from_group: group, filter_id, filter_rules } = selection
  if (ids == null && group == null && filter_id == null && filter_rules == null) return undefined
  return [
    ...new Set([
      ...(ids == null ? [] : await byIds(request, transaction, ids)),
      ...(group == null ? [] : await fromGroup(request, transaction, group)),
      ...(filter_id == null && filter_rules == null ? [] : await byFilter(request, transaction, selection)),
    ]),
  ]
}

/** @throws not_found_error, illegal_action_error for a global one of another tenant */
async function byIds(request: Request, transaction: Database, ids: readonly string[]) {
  const { id: tenantId } = tenantOf(request)
  const found = new Map((await findByIds(transaction, tenantId, ids)).map((row) => [row.id, row]))
  for (const id of ids) {
    const row = found.get(id)
    if (row === undefined || isHiddenFrom(request, row)) throw notFound('Deployment', id)
    if (row.tenant_id !== tenantId) throw foreignGlobal(id, row.tenant_name)
  }
  return ids
}

async function fromGroup(request: Request, transaction: Database, id: string) {
  const group = await requireOwned(request, transaction, deploymentGroupTable, id)
  if (group.tenant_id !== tenantOf(request).id) throw foreignGlobal(id, group.tenant_name)
  return visibleMembers(transaction, group.tenant_id, group.id, tenantScope(request))
}

/** Both ways of saying it together, of the tenant's own deployments that the caller sees. */
async function byFilter(
  request: Request,
  transaction: Database,
  { filter_id: id, filter_rules: rules }: Selection,
): Promise<readonly string[]> {
  const parsed = rules == null ? undefined : parseFilterRules(rules, 'deployments')
  const all = await rulesOf(request, 'deployments', [id ?? undefined], parsed)
  return findByRules(transaction, all ?? [], ownTenantScope(request))
}
