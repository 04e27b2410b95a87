import { ApiError } from '@tutti/api'
import { type WorkflowActions, workflowActions } from '@tutti/domain/workflow-actions'
import { type ActionStep, type PhaseProgress, type WorkflowEnd, WorkflowError } from '@tutti/engine'
import type { Database, ExecutionRow, Lease } from '@tutti/storage'
import { setPhase } from './queries.ts'

/**
 * One transaction of `runPhases`: the steps of actions in order, and how far the execution has come with them. The
 * lease is proved first, so nothing is done of it for an execution that another worker has.
 */
export async function changePhase(
  db: Database,
  lease: Lease,
  execution: ExecutionRow,
  steps: readonly ActionStep[],
  progress: PhaseProgress,
  actions: WorkflowActions = workflowActions,
): Promise<WorkflowEnd> {
  try {
    await db.transaction().execute(async (transaction) => {
      await setPhase(transaction, lease, progress)
      for (const { phase, step } of execution.is_dry_run ? [] : steps) {
        const action = actions.get(phase.action)
        if (action === undefined) throw new WorkflowError(`This release has no action ${phase.action}`)
        await action[step](transaction, { execution, input: phase.input })
      }
    })
    return { status: 'succeeded' }
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof WorkflowError)) throw error
    return { status: 'failed', error: error.message }
  }
}
