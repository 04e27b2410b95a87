import { cloudifyContext, type StoredOperation, WorkflowError } from '@tutti/engine'
import { chooseExecutor } from '../executors/index.ts'

const namedAtMost = 5

/**
 * A workflow that comes to an operation which cannot run would stop there, half done: it is not begun.
 *
 * @throws WorkflowError
 */
export function refuseUnbuilt(workflowId: string, operations: readonly StoredOperation[]): void {
  const reasons = new Set<string>()
  for (const operation of operations) {
    if (operation.type !== 'RemoteWorkflowTask') continue
    const choice = chooseExecutor(operation)
    if (!('refusal' in choice)) continue
    const { node_name: node } = cloudifyContext(operation.parameters) ?? {}
    reasons.add(`${choice.refusal} (node ${node})`)
  }
  if (reasons.size === 0) return
  const named = [...reasons].slice(0, namedAtMost)
  const more = reasons.size > named.length ? [`and ${reasons.size - named.length} more`] : []
  throw new WorkflowError(
    `${workflowId} is not begun, as it could not be ended: ${[...named, ...more].join('; ')}`,
  )
}
