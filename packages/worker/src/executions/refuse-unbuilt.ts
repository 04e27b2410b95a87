import { type StoredOperation, type Workflow, WorkflowError } from '@tutti/engine'
import { unbuiltPlugin } from '../operations/index.ts'

type Context = Readonly<Record<string, unknown>>

/** Why this release cannot run an operation; null where it can. */
export function unbuiltOperation(context: Context): string | null {
  if (context.executor === 'host_agent') return noAgent(context)
  return unbuiltPlugin(context as unknown as Parameters<typeof unbuiltPlugin>[0])
}

function noAgent({ task_name: task, host_id: host, node_id: node }: Context): string {
  return host == null
    ? `${task} is to run on a host agent, but ${node} is on no host`
    : `${task} is to run on the agent of host ${host}, but agents are not built yet: ` +
        'give the operation the executor central_deployment_agent'
}

const namedAtMost = 5

/**
 * A workflow that comes to an operation which cannot run would stop there, half done: it is not begun. What undoes
 * things goes as far as it comes.
 *
 * @throws WorkflowError
 */
export function refuseUnbuilt(
  workflowId: string,
  mapped: Workflow,
  operations: readonly StoredOperation[],
): void {
  if (mapped.name === 'uninstall') return
  const reasons = new Set<string>()
  for (const { type, parameters } of operations) {
    if (type !== 'RemoteWorkflowTask') continue
    const context = (parameters.task_kwargs.kwargs as { readonly __cloudify_context?: Context } | undefined)
      ?.__cloudify_context
    const reason = context === undefined ? null : unbuiltOperation(context)
    if (reason !== null) reasons.add(`${reason} (node ${context?.node_name})`)
  }
  if (reasons.size === 0) return
  const named = [...reasons].slice(0, namedAtMost)
  const more = reasons.size > named.length ? [`and ${reasons.size - named.length} more`] : []
  throw new WorkflowError(
    `${workflowId} is not begun, as it could not be ended: ${[...named, ...more].join('; ')}`,
  )
}
