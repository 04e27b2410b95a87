import type { EmittedEvent, GraphOutcome } from './commit.ts'

/** `workflow_started` (docs/reference/events.md, "Kinds of events"). */
export function workflowStarted(
  workflow: string,
  options: { readonly resume: boolean; readonly dryRun: boolean },
  timestampMs: number,
): EmittedEvent {
  const verb = options.resume ? 'Resuming' : 'Starting'
  return workflowEvent('workflow_started', `${verb} '${workflow}' workflow execution`, options, timestampMs)
}

export type WorkflowEnd =
  | { readonly status: Exclude<GraphOutcome['status'], 'failed'> }
  /** `message`: in its event, where the error is more than that. */
  | { readonly status: 'failed'; readonly error: string; readonly message?: string }

/** `workflow_succeeded`, `workflow_failed` or `workflow_cancelled`. */
export function workflowEnded(
  workflow: string,
  end: WorkflowEnd,
  options: { readonly dryRun: boolean },
  timestampMs: number,
): EmittedEvent {
  const text = `'${workflow}' workflow execution ${end.status}`
  const message = end.status === 'failed' ? `${text}: ${end.message ?? end.error}` : text
  return workflowEvent(`workflow_${end.status}`, message, options, timestampMs)
}

function workflowEvent(
  type: string,
  text: string,
  options: { readonly dryRun: boolean },
  timestampMs: number,
): EmittedEvent {
  return {
    type,
    timestampMs,
    message: options.dryRun ? `${text} (dry run)` : text,
    operation: null,
    nodeInstanceId: null,
    operationId: null,
    errorCauses: [],
    additionalContext: null,
  }
}
