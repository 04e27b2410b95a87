import { ApiError } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { dependentLines, findDependents } from '../dependencies/index.ts'
import { liveInstances } from './delete-queries.ts'

/**
 * Nobody else may depend on what is to be uninstalled or deleted; what is to be deleted must have been uninstalled.
 *
 * @throws dependent_exists_error
 */
export async function checkUnused(
  transaction: Transaction,
  tenantId: number,
  ids: readonly string[],
  question: Parameters<typeof findDependents>[3],
): Promise<void> {
  const isUninstall = question.by === 'uninstall'
  const verb = isUninstall ? 'uninstall' : 'delete'
  const dependents = await findDependents(transaction, tenantId, ids, question)
  const [needed] = dependents
  if (needed !== undefined) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't ${verb} deployment ${needed.target} - the following existing installations depend on it:\n` +
        dependentLines(dependents.filter(({ target }) => target === needed.target)),
    )
  }
  const live = isUninstall ? undefined : await liveInstances(transaction, tenantId, ids)
  if (live === undefined) return
  throw new ApiError(
    'dependent_exists_error',
    `Can't delete deployment ${live.id} - There are live nodes for this deployment. Live nodes ids: ${live.found.join(', ')}`,
    { hint: 'Run the workflow uninstall first, or pass force=true' },
  )
}
