import { ApiError, illegalAction, isActiveStatus, isEndStatus } from '@tutti/api'
import { isSystemWorkflowName } from '@tutti/engine'
import { recorded } from '@tutti/storage'

/**
 * Whether a PATCH may change the status (docs/reference/executions.md, "Setting the status"). The same status is always
 * fine.
 *
 * @throws invalid_exception_status_update
 */
export function checkStatusChange(
  execution: { readonly id: string; readonly workflow_id: string; readonly status: string },
  to: string,
): void {
  const from = execution.status
  if (from === to) return
  const isRefused =
    (isEndStatus(from) && execution.workflow_id !== 'create_snapshot') ||
    ((from === 'cancelling' || from === 'force_cancelling') &&
      (to === 'terminated' || (isActiveStatus(to) && !to.endsWith('cancelling'))))
  if (!isRefused) return
  throw new ApiError(
    'invalid_exception_status_update',
    `Invalid relationship - can't change status from ${from} to ${to} for "${execution.id}" execution while ` +
      `running "${execution.workflow_id}" workflow.`,
  )
}

export type CancelAction = 'cancel' | 'force-cancel' | 'kill'

/**
 * The status that a cancel action leads to (docs/reference/executions.md, "Cancel"). A kill is never refused: what has
 * ended stays so.
 *
 * @throws illegal_action_error
 */
export function cancelledStatus(
  execution: Cancelled & { readonly id: string },
  action: CancelAction,
): string {
  const status = statusAfterCancel(execution, action)
  if (status !== undefined) return status
  const { id, status: from } = execution
  if (action === 'kill') return from
  throw illegalAction(`Can't ${action} execution ${id} because it's in status ${from}`)
}

type Cancelled = { readonly status: string; readonly lease_owner: string | null }

/** The same; undefined where the action is not possible. Of what is only recorded, nobody has to end anything first. */
export function statusAfterCancel(
  { status: from, lease_owner: owner }: Cancelled,
  action: CancelAction,
): string | undefined {
  if (owner === recorded && !isEndStatus(from)) return 'cancelled'
  if (from === 'queued' || from === 'scheduled') return 'cancelled'
  if (isEndStatus(from)) return undefined
  switch (action) {
    case 'kill':
      return 'kill_cancelling'
    case 'force-cancel':
      if (from === 'pending' || from === 'started' || from === 'cancelling') return 'force_cancelling'
      break
    case 'cancel':
      if (from === 'pending' || from === 'started') return 'cancelling'
      break
  }
  return undefined
}

type Execution = {
  readonly workflow_id: string
  readonly status: string
  readonly is_system_workflow: boolean
}

/** @throws conflict_error */
export function checkResumable(execution: Execution, isForced: boolean): void {
  const allowed = isForced ? ['cancelled', 'failed'] : ['cancelled', 'failed', 'started']
  checkRepeatable(execution, isForced ? 'force-resume' : 'resume', allowed)
}

/** @throws conflict_error */
export const checkRequeueable = (execution: Execution): void =>
  checkRepeatable(execution, 'requeue', ['cancelled', 'failed'])

function checkRepeatable(
  { workflow_id: workflow, status, is_system_workflow: isSystem }: Execution,
  action: string,
  allowed: readonly string[],
): void {
  if (!allowed.includes(status)) {
    throw new ApiError(
      'conflict_error',
      `Cannot ${action} execution: it is in status ${status}, expected to be one of: ${allowed.join(', ')}`,
    )
  }
  // They are over when they are over (docs/reference/executions.md, "Resume").
  if (isSystem || isSystemWorkflowName(workflow)) {
    throw new ApiError(
      'conflict_error',
      `Cannot ${action} execution: workflow ${workflow} is not resumable`,
      {
        hint: 'Ask for the same again',
      },
    )
  }
}
