import { cloudifyContext, isJsonObject, type JsonObject, type StoredOperation } from '@tutti/engine'
import type { ExecutorName } from '../operations/index.ts'
import { isNative } from './native/registry.ts'
import { unbuiltPlugin } from './unbuilt-plugin.ts'

/** Who runs an operation, or why this release cannot. */
export type Choice = { readonly executor: ExecutorName } | { readonly refusal: string }

/** Decides by what an operation is alone, so that it can be asked before a workflow begins. */
export function chooseExecutor(operation: StoredOperation): Choice {
  const { type, name } = operation
  if (isNative(implementationOf(operation))) return { executor: 'native' }
  if (type !== 'RemoteWorkflowTask') {
    return { refusal: `Tasks of type ${type} are not built yet, so ${name} cannot run` }
  }
  const context = cloudifyContext(operation.parameters)
  if (context === undefined) return { refusal: `The stored task ${name} has no context` }
  if (!isJsonObject(context.plugin)) return { refusal: `The stored task ${name} has no plugin` }
  const refusal =
    context.executor === 'host_agent'
      ? noAgent(context)
      : unbuiltPlugin(pluginName(context), context.task_name)
  return refusal === null ? { executor: 'python' } : { refusal }
}

/** `PLUGIN.FUNCTION` of an operation of a blueprint; of any other task its type. */
export function implementationOf(operation: StoredOperation): string {
  if (operation.type !== 'RemoteWorkflowTask') return operation.type
  const context = cloudifyContext(operation.parameters) ?? {}
  return `${pluginName(context)}.${context.task_name}`
}

const pluginName = ({ plugin }: JsonObject): string => String(isJsonObject(plugin) ? plugin.name : undefined)

function noAgent({ task_name: task, host_id: host, node_id: node }: JsonObject): string {
  return host == null
    ? `${task} is to run on a host agent, but ${node} is on no host`
    : `${task} is to run on the agent of host ${host}, but agents are not built yet: ` +
        'give the operation the executor central_deployment_agent'
}
