import { cloudifyContext, each, type StoredOperation, type Work, WorkflowError } from '@tutti/engine'
import type { ExecutionRow } from '@tutti/storage'
import { chooseExecutor } from '../executors/index.ts'
import { type UsedPlugin, usedPlugin } from '../plugins/index.ts'
import type { WorkerServices } from '../services.ts'

const namedAtMost = 5

/**
 * A workflow that comes to an operation which cannot run would stop there, half done: it is not begun.
 *
 * @throws WorkflowError
 */
export async function refuseUnbuilt(
  { plugins }: Pick<WorkerServices, 'plugins'>,
  execution: ExecutionRow,
  inPieces: <T>(work: Work<T>) => Promise<T>,
  operations: readonly StoredOperation[],
): Promise<void> {
  const { reasons, used } = await inPieces(look(operations))
  for (const { plugin, node } of used) {
    const missing = await plugins.missing(plugin, execution)
    if (missing !== null) reasons.add(`${missing} (node ${node})`)
  }
  if (reasons.size === 0) return
  const named = [...reasons].slice(0, namedAtMost)
  const more = reasons.size > named.length ? [`and ${reasons.size - named.length} more`] : []
  throw new WorkflowError(
    `${execution.workflow_id} is not begun, as it could not be ended: ${[...named, ...more].join('; ')}`,
  )
}

type Looked = {
  readonly reasons: Set<string>
  /** Each once, with the first node that has it. */
  readonly used: readonly { readonly plugin: UsedPlugin; readonly node: string }[]
}

function* look(operations: readonly StoredOperation[]): Work<Looked> {
  const reasons = new Set<string>()
  const used = new Map<string, { readonly plugin: UsedPlugin; readonly node: string }>()
  yield* each(operations, (operation) => {
    if (operation.type !== 'RemoteWorkflowTask') return
    const choice = chooseExecutor(operation)
    const { node_name: node, plugin: given } = cloudifyContext(operation.parameters) ?? {}
    if ('refusal' in choice) return void reasons.add(`${choice.refusal} (node ${node})`)
    if (choice.executor !== 'python') return
    const plugin = usedPlugin(given)
    const key = JSON.stringify(plugin)
    if (!used.has(key)) used.set(key, { plugin, node: String(node) })
  })
  return { reasons, used: [...used.values()] }
}
