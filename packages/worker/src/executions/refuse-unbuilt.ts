import {
  cloudifyContext,
  each,
  isJsonObject,
  type JsonObject,
  type StoredOperation,
  type Work,
  WorkflowError,
} from '@tutti/engine'
import { chooseExecutor } from '../executors/index.ts'
import { packageKey, uploadedPlugin } from './missing-plugins.ts'

const namedAtMost = 5

/**
 * A workflow that comes to an operation which cannot run would stop there, half done: it is not begun.
 *
 * @param missing plugins that are not to be had, by `packageKey`
 * @throws WorkflowError
 */
export function* refuseUnbuilt(
  workflowId: string,
  operations: readonly StoredOperation[],
  missing: ReadonlySet<string>,
): Work<void> {
  const reasons = new Set<string>()
  yield* each(operations, (operation) => {
    if (operation.type !== 'RemoteWorkflowTask') return
    const context = cloudifyContext(operation.parameters)
    const reason = whyMissing(context, missing) ?? whyNot(operation)
    if (reason !== undefined) reasons.add(`${reason} (node ${context?.node_name})`)
  })
  if (reasons.size === 0) return
  const named = [...reasons].slice(0, namedAtMost)
  const more = reasons.size > named.length ? [`and ${reasons.size - named.length} more`] : []
  throw new WorkflowError(
    `${workflowId} is not begun, as it could not be ended: ${[...named, ...more].join('; ')}`,
  )
}

function whyNot(operation: StoredOperation): string | undefined {
  const choice = chooseExecutor(operation)
  return 'refusal' in choice ? choice.refusal : undefined
}

function whyMissing(context: JsonObject | undefined, missing: ReadonlySet<string>): string | undefined {
  const plugin = uploadedPlugin(context?.plugin)
  if (plugin === undefined || !missing.has(packageKey(plugin))) return undefined
  const name = isJsonObject(context?.plugin) ? context.plugin.name : undefined
  const version = plugin.package_version == null ? '' : ` ${plugin.package_version}`
  return `${context?.task_name} of plugin "${name}" cannot run: ${plugin.package_name}${version} is not uploaded`
}
