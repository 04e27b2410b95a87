import { type Workflow, WorkflowError } from '../workflow.ts'
import { checkDrift, checkStatus } from './check.ts'
import { executeOperation } from './execute-operation.ts'
import { heal } from './heal.ts'
import { install } from './install.ts'
import { pull, restart, start, stop } from './lifecycle-operations.ts'
import { reinstall } from './reinstall.ts'
import { rollback } from './rollback.ts'
import { scale, scaleNode } from './scale.ts'
import { uninstall } from './uninstall.ts'

/** What a deployment's workflow is mapped to: a plugin of its blueprint, and a function of that. */
export type WorkflowMapping = {
  readonly plugin: string
  readonly operation: string
}

/** The plugin of the types files. An import under a namespace puts that before its name. */
const builtInPlugin = 'default_workflows'
const builtInModule = 'cloudify.plugins.workflows'

/** By function; where no other is said, it is called as the workflow is. */
const functions: readonly (readonly [Workflow, name?: string])[] = [
  [install],
  [uninstall],
  [reinstall],
  [start],
  [stop],
  [restart],
  [pull],
  [executeOperation],
  [checkStatus],
  [checkDrift],
  [heal, 'auto_heal_reinstall_node_subgraph'],
  [scale, 'scale_entity'],
  [scaleNode, 'scale'],
  [rollback],
]

const workflows: ReadonlyMap<string, Workflow> = new Map(
  functions.map(([workflow, name = workflow.name]) => [`${builtInModule}.${name}`, workflow]),
)

/** The mapping of a built-in workflow, as the types files have it. */
export const builtInMapping = (name: string): WorkflowMapping => ({
  plugin: builtInPlugin,
  operation: `${builtInModule}.${functions.find(([workflow]) => workflow.name === name)?.[1] ?? name}`,
})

const isBuiltInPlugin = (plugin: string) => plugin === builtInPlugin || plugin.endsWith(`--${builtInPlugin}`)

/** The built-in workflow that the mapping names, whatever the deployment calls it; undefined when it names none. */
export function findBuiltInWorkflow({ plugin, operation }: WorkflowMapping): Workflow | undefined {
  return isBuiltInPlugin(plugin) ? workflows.get(operation) : undefined
}

/**
 * Workflows of the manager itself. An execution says by name alone which one it is, so nothing that a blueprint declares
 * under one of these names can be run: its author would have the manager create or delete what others may not.
 */
export const systemWorkflowNames = [
  'upload_blueprint',
  'create_deployment_environment',
  'delete_deployment_environment',
] as const
export type SystemWorkflowName = (typeof systemWorkflowNames)[number]

export const isSystemWorkflowName = (name: string): name is SystemWorkflowName =>
  systemWorkflowNames.some((one) => one === name)

/** Why a workflow of that name and mapping cannot be run at all; undefined when it can. */
export function whyNotRun(name: string, mapping: WorkflowMapping): string | undefined {
  if (isSystemWorkflowName(name)) return "its name is that of one of the manager's own workflows"
  if (findBuiltInWorkflow(mapping) !== undefined || isPythonWorkflow(mapping)) return undefined
  const known = [...workflows.keys()].join(', ')
  return (
    `it is mapped to ${mapping.plugin}.${mapping.operation}, and this release of Tutti runs ${known}, scripts, ` +
    'and functions of other plugins only'
  )
}

/** What runs the script of a blueprint as a workflow. */
const scriptWorkflow = 'script_runner.tasks.execute_workflow'

/** Those of the types files. */
const ownPlugin = /^(.*--)?(agent|cfy_extensions|default_workflows|script)$/

/** Whether the mapping names a function in Python: that which runs scripts, or one of a plugin. */
export const isPythonWorkflow = ({ plugin, operation }: WorkflowMapping): boolean =>
  operation === scriptWorkflow || (plugin !== '' && operation !== '' && !ownPlugin.test(plugin))

/** @throws WorkflowError when there is none */
export function builtInWorkflow(mapping: WorkflowMapping, name: string): Workflow {
  const workflow = isSystemWorkflowName(name) ? undefined : findBuiltInWorkflow(mapping)
  if (workflow !== undefined) return workflow
  const why = whyNotRun(name, mapping) ?? 'it is a function in Python'
  throw new WorkflowError(`Workflow ${name} cannot be run: ${why}`)
}
