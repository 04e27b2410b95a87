import { randomUUID } from 'node:crypto'
import { checkIdentifier, duplicate, notFound, type RouteBody } from '@tutti/api'
import { deploymentGroupTable, executionGroupTable, findOwned, insertExecutionGroup } from '@tutti/storage'
import { creationOf, lockOwned } from '../../owned.ts'
import { type Request, requirePermission, tenantOf, tenantScope } from '../../request.ts'
import { checkConcurrency } from './concurrency.ts'
import { putInGroup } from './queries.ts'

/**
 * Writes an execution group that has run elsewhere, of executions that have been restored before it: nothing starts.
 *
 * @throws bad_parameters_error, conflict_error, forbidden_error, not_found_error
 */
export async function restoreGroup(
  request: Request,
  body: RouteBody<'executionGroups.start'>,
  executionIds: readonly string[],
): Promise<string> {
  requirePermission(request, 'set_execution_group_details')
  const tenant = tenantOf(request)
  const id = body.id == null ? randomUUID() : checkIdentifier('id', body.id, 'any')
  const concurrency = checkConcurrency(body.concurrency ?? 5)
  await request.services.db.transaction().execute(async (transaction) => {
    const creation = await creationOf(request, transaction, body)
    const group =
      body.deployment_group_id == null
        ? undefined
        : await lockOwned(request, transaction, deploymentGroupTable, body.deployment_group_id)
    if ((await findOwned(transaction, executionGroupTable, tenant.id, id)) !== undefined) {
      throw duplicate(executionGroupTable.model, id, tenant.name)
    }
    await insertExecutionGroup(transaction, {
      tenantId: tenant.id,
      id,
      deploymentGroupId: group?.id ?? null,
      workflowId: body.workflow_id,
      concurrency,
      visibility: group?.visibility ?? 'tenant',
      createdBy: creation.created_by,
      createdAt: creation.created_at,
    })
    const found = await putInGroup(transaction, tenant.id, id, executionIds, tenantScope(request))
    const missing = executionIds.find((one) => !found.has(one))
    if (missing !== undefined) throw notFound('Execution', missing)
  })
  return id
}
