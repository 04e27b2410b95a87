import {
  cloudifyContext,
  each,
  type StoredOperation,
  type Work,
  type Workflow,
  WorkflowError,
} from '@tutti/engine'
import { chooseExecutor } from '../executors/index.ts'

const namedAtMost = 5

/**
 * A workflow that comes to an operation which cannot run would stop there, half done: it is not begun. What undoes
 * things goes as far as it comes.
 *
 * @throws WorkflowError
 */
export function* refuseUnbuilt(
  workflowId: string,
  mapped: Workflow,
  operations: readonly StoredOperation[],
): Work<void> {
  if (mapped.name === 'uninstall') return
  const reasons = new Set<string>()
  yield* each(operations, (operation) => {
    if (operation.type !== 'RemoteWorkflowTask') return
    const choice = chooseExecutor(operation)
    if (!('refusal' in choice)) return
    const { node_name: node } = cloudifyContext(operation.parameters) ?? {}
    reasons.add(`${choice.refusal} (node ${node})`)
  })
  if (reasons.size === 0) return
  const named = [...reasons].slice(0, namedAtMost)
  const more = reasons.size > named.length ? [`and ${reasons.size - named.length} more`] : []
  throw new WorkflowError(
    `${workflowId} is not begun, as it could not be ended: ${[...named, ...more].join('; ')}`,
  )
}
