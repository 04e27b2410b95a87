import type { JsonObject } from './json.ts'
import type { DeploymentModel } from './model.ts'
import type { StoredOperation } from './stored-operation.ts'
import type { Work } from './work.ts'

/** A built-in workflow (docs/reference/workflows.md, "Built-in workflows"). */
export interface Workflow {
  readonly name: string
  readonly resumable: boolean
  /** @throws WorkflowError when the parameters cannot be used. */
  phases(parameters: JsonObject): readonly Phase[]
}

/**
 * One graph of a workflow. The runner goes through the phases in order. For each it restores the stored
 * graph of that name or, where there is none, reads the deployment anew, builds and stores it.
 */
export interface Phase {
  /** docs/reference/workflows.md, "Tasks graph". */
  readonly graphName: string
  /** Half-done installations are undone before the graph is resumed (docs/reference/workflows.md, "Resuming"). */
  readonly cleansUpOnResume: boolean
  /** @throws WorkflowError when no graph can be made of this deployment. */
  build(input: BuildInput): Work<readonly StoredOperation[]>
}

export interface BuildInput {
  readonly model: DeploymentModel
  /**
   * What is the same in every `__cloudify_context` of the execution (docs/reference/operations.md, "Context"):
   * `execution_id`, `workflow_id`, `deployment_id`, `tenant` and so on, without tokens.
   */
  readonly context: JsonObject
  readonly newId: () => string
}

/** The workflow itself cannot be carried out; the text becomes the execution's error. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError'
}
