import { ApiError } from '@tutti/api'
import { type WorkflowActions, workflowActions } from '@tutti/domain/workflow-actions'
import { type ActionStep, type PhaseProgress, type WorkflowEnd, WorkflowError } from '@tutti/engine'
import { checkLease, type Database, type ExecutionRow, type Lease, type Transaction } from '@tutti/storage'
import { loadModel } from './model-queries.ts'
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
  return ended(() =>
    db.transaction().execute(async (transaction) => {
      await setPhase(transaction, lease, progress)
      await perform(transaction, execution, steps, actions)
    }),
  )
}

/**
 * What the deployment would be like after these steps, for a dry run: they are performed, and undone at once. Of `end`
 * and `undo` nothing is to be seen in a dry run, so they are left out.
 */
export async function previewPhase(
  db: Database,
  lease: Lease,
  execution: ExecutionRow,
  steps: readonly ActionStep[],
  actions: WorkflowActions = workflowActions,
): Promise<{ readonly end: WorkflowEnd; readonly model: Awaited<ReturnType<typeof loadModel>> | undefined }> {
  const undone = new Error('a dry run keeps nothing')
  let model: Awaited<ReturnType<typeof loadModel>> | undefined
  const begins = steps.filter(({ step }) => step === 'begin')
  const end = await ended(async () => {
    try {
      await db.transaction().execute(async (transaction) => {
        await checkLease(transaction, lease)
        await perform(transaction, execution, begins, actions)
        model = await loadModel(transaction, execution.tenant_id, execution.deployment_id ?? '')
        throw undone
      })
    } catch (error) {
      if (error !== undone) throw error
    }
  })
  return { end, model }
}

async function perform(
  transaction: Transaction,
  execution: ExecutionRow,
  steps: readonly ActionStep[],
  actions: WorkflowActions,
): Promise<void> {
  for (const { phase, step } of steps) {
    const action = actions.get(phase.action)
    if (action === undefined) throw new WorkflowError(`This release has no action ${phase.action}`)
    await action[step](transaction, { execution, input: phase.input })
  }
}

/** What the rules do not allow is the workflow's end. */
async function ended(work: () => Promise<void>): Promise<WorkflowEnd> {
  try {
    await work()
    return { status: 'succeeded' }
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof WorkflowError)) throw error
    return { status: 'failed', error: error.message }
  }
}
