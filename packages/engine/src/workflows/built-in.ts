import { type Workflow, WorkflowError } from '../workflow.ts'
import { executeOperation } from './execute-operation.ts'
import { install } from './install.ts'
import { uninstall } from './uninstall.ts'

/** What a deployment's workflow is mapped to: a plugin of its blueprint, and a function of that. */
export interface WorkflowMapping {
  readonly plugin: string
  readonly operation: string
}

/** The plugin of the types files. An import under a namespace puts that before its name. */
const builtInPlugin = 'default_workflows'
const builtInModule = 'cloudify.plugins.workflows'

const workflows: ReadonlyMap<string, Workflow> = new Map(
  [install, uninstall, executeOperation].map((workflow) => [`${builtInModule}.${workflow.name}`, workflow]),
)

/** The mapping of a built-in workflow, as the types files have it. */
export const builtInMapping = (name: string): WorkflowMapping => ({
  plugin: builtInPlugin,
  operation: `${builtInModule}.${name}`,
})

/** The built-in workflow that the mapping names, whatever the deployment calls it; undefined when it names none. */
export function findBuiltInWorkflow({ plugin, operation }: WorkflowMapping): Workflow | undefined {
  const isBuiltIn = plugin === builtInPlugin || plugin.endsWith(`--${builtInPlugin}`)
  return isBuiltIn ? workflows.get(operation) : undefined
}

/** Why a workflow of that mapping cannot be run at all; undefined when it can. */
export function whyNotBuiltIn(mapping: WorkflowMapping): string | undefined {
  if (findBuiltInWorkflow(mapping) !== undefined) return undefined
  const known = [...workflows.keys()].join(', ')
  return `it is mapped to ${mapping.plugin}.${mapping.operation}, and this release of Tutti runs ${known} only`
}

/** @throws WorkflowError when there is none */
export function builtInWorkflow(mapping: WorkflowMapping, name: string): Workflow {
  const workflow = findBuiltInWorkflow(mapping)
  if (workflow !== undefined) return workflow
  throw new WorkflowError(`Workflow ${name} cannot be run: ${whyNotBuiltIn(mapping)}`)
}
