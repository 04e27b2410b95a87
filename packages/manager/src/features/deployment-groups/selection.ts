import { ApiError, foreignGlobal, notFound, type RouteBody } from '@tutti/api'
import { type Database, deploymentGroupTable } from '@tutti/storage'
import { requireOwned } from '../../owned.ts'
import { isHiddenFrom, type Request, tenantOf, tenantScope } from '../../request.ts'
import { findByIds, visibleMembers } from './queries.ts'

export type Selection = Pick<
  RouteBody<'deploymentGroups.put'>,
  'deployment_ids' | 'deployments_from_group' | 'filter_id' | 'filter_rules'
>

/** The deployments that a request names, in whichever ways; undefined when it names none at all. */
export async function selectedDeployments(
  request: Request,
  transaction: Database,
  { deployment_ids: ids, deployments_from_group: group, filter_id, filter_rules }: Selection,
): Promise<readonly string[] | undefined> {
  if (ids == null && group == null && filter_id == null && filter_rules == null) return undefined
  return [
    ...new Set([
      ...(ids == null ? [] : await byIds(request, transaction, ids)),
      ...(group == null ? [] : await fromGroup(request, transaction, group)),
      ...(filter_id == null && filter_rules == null ? [] : byFilter()),
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

function byFilter(): readonly string[] {
  throw new ApiError(
    'not_implemented',
    'Choosing the deployments of a group by filter_id or filter_rules is documented, but this release of Tutti ' +
      'has not built it yet',
    { hint: 'Name them by deployment_ids' },
  )
}
