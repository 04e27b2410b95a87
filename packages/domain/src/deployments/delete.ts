import { randomUUID } from 'node:crypto'
import { ApiError, notFound, type Visibility } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { type Actor, tenantScope } from '../actor.ts'
import { insertExecutions } from '../executions/index.ts'
import { lockForDeletion, setInProgress, unfinishedExecutions } from './delete-queries.ts'
import { lockDeployment } from './service.ts'
import { checkUnused } from './unused.ts'

export type DeleteOptions = {
  readonly force: boolean
  readonly deleteLogs: boolean
  readonly recursive: boolean
}

/** Starts the deletion; the row goes when its execution terminates. */
export async function startDeletion(
  actor: Actor,
  transaction: Transaction,
  id: string,
  options: DeleteOptions,
): Promise<void> {
  const deployment = await lockDeployment(actor, transaction, id)
  await startDeletions(actor, transaction, [deployment], options)
}

type DeploymentToDelete = {
  readonly tenant_id: number
  readonly id: string
  readonly display_name: string
  readonly blueprint_id: string
  readonly visibility: Visibility
}

/**
 * Starts the deletion of deployments of one tenant: of all of them or, where one may not go, of none. The checks in
 * their order: docs/reference/deployments.md, "Deletion". In a group, so many of the executions start at once.
 */
export async function startDeletions(
  actor: Actor,
  transaction: Transaction,
  deployments: readonly DeploymentToDelete[],
  options: DeleteOptions,
  group?: { readonly id: string; readonly concurrency: number },
): Promise<void> {
  const [first] = deployments
  if (first === undefined) return
  const tenantId = first.tenant_id
  const ids = deployments.map(({ id }) => id)
  // Locks the rows before anything is counted: a workflow that starts at this moment is seen, or sees the deletion.
  await lockForDeletion(transaction, tenantId, ids)
  const there = await setInProgress(transaction, tenantId, ids)
  for (const id of ids) if (!there.has(id)) throw notFound('Deployment', id)
  const unfinished = await unfinishedExecutions(transaction, tenantId, ids)
  if (unfinished !== undefined) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete deployment ${unfinished.id} - There are running or queued executions for this deployment. ` +
        `Running executions ids: ${unfinished.found.join(', ')}`,
      { hint: 'Wait for them or cancel them' },
    )
  }
  if (!options.force) {
    await checkUnused(transaction, tenantId, ids, {
      by: 'delete_deployment_environment',
      recursive: options.recursive,
      together: true,
      scope: tenantScope(actor),
    })
  }
  const atOnce = group?.concurrency ?? deployments.length
  await insertExecutions(
    transaction,
    actor.services.queue,
    deployments.map(({ id, display_name, blueprint_id, visibility }, index) => ({
      tenantId,
      id: randomUUID(),
      workflowId: 'delete_deployment_environment',
      status: index < atOnce ? 'pending' : 'queued',
      deployment: { id, displayName: display_name, blueprintId: blueprint_id },
      ...(group !== undefined && { executionGroupId: group.id }),
      parameters: { delete_logs: options.deleteLogs, force: options.force, recursive: options.recursive },
      visibility,
      createdBy: actor.caller.username,
    })),
  )
}
