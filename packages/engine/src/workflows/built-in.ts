import { type Workflow, WorkflowError } from '../workflow.ts'
import { executeOperation } from './execute-operation.ts'
import { install } from './install.ts'
import { uninstall } from './uninstall.ts'

const workflows: ReadonlyMap<string, Workflow> = new Map(
  [install, uninstall, executeOperation].map((workflow) => [workflow.name, workflow]),
)

/**
 * The built-in workflow of that name.
 *
 * @throws WorkflowError when there is none.
 */
export function builtInWorkflow(name: string): Workflow {
  const workflow = workflows.get(name)
  if (workflow !== undefined) return workflow
  const known = [...workflows.keys()].join(', ')
  throw new WorkflowError(`Workflow ${name} is not built into this manager. Built in are: ${known}.`)
}
