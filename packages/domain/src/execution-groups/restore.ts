import { randomUUID } from 'node:crypto'
import { checkIdentifier, duplicate, notFound, type RouteBody } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { deploymentGroupTable, executionGroupTable, findOwned } from '@tutti/storage'
import { type Actor, requirePermission, tenantOf, tenantScope } from '../actor.ts'
import { insertExecutionGroup } from '../executions/index.ts'
import { creationOf, lockOwned } from '../owned.ts'
import { checkConcurrency } from './concurrency.ts'
import { putInGroup } from './queries.ts'

/**
 * Writes an execution group that has run elsewhere, of executions that have been restored before it: nothing starts.
 *
 * @throws bad_parameters_error, conflict_error, forbidden_error, not_found_error
 */
export async function restoreGroup(
  actor: Actor,
  transaction: Transaction,
  body: RouteBody<'executionGroups.start'>,
  executionIds: readonly string[],
): Promise<string> {
  requirePermission(actor, 'set_execution_group_details')
  const tenant = tenantOf(actor)
  const id = body.id == null ? randomUUID() : checkIdentifier('id', body.id, 'any')
  const concurrency = checkConcurrency(body.concurrency ?? 5)
  const creation = await creationOf(actor, transaction, body)
  const group =
    body.deployment_group_id == null
      ? undefined
      : await lockOwned(actor, transaction, deploymentGroupTable, body.deployment_group_id)
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
  const found = await putInGroup(transaction, tenant.id, id, executionIds, tenantScope(actor))
  const missing = executionIds.find((one) => !found.has(one))
  if (missing !== undefined) throw notFound('Execution', missing)
  return id
}
