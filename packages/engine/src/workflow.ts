import type { JsonObject } from './json.ts'
import type { DeploymentModel } from './model.ts'
import type { StoredOperation } from './stored-operation.ts'
import type { Work } from './work.ts'

/** A built-in workflow (docs/reference/workflows.md, "Built-in workflows"). */
export type Workflow = {
  readonly name: string
  readonly resumable: boolean
  /** @throws WorkflowError when the parameters cannot be used. */
  phases(parameters: JsonObject): readonly Phase[]
}

/**
 * One part of a workflow, described; the phases run one after another (`run-phases.ts`). A phase's name is unique in its
 * workflow and stored: another release finds by it how far an execution has come.
 */
export type Phase = GraphPhase | ChildrenPhase | ActionPhase

/**
 * The runner restores the stored graph of that name or, where there is none, reads the deployment anew, builds and
 * stores it.
 */
export type GraphPhase = {
  readonly kind: 'graph'
  /** The graph's (docs/reference/workflows.md, "Tasks graph"). */
  readonly name: string
  /** Half-done installations are undone before the graph is resumed (docs/reference/workflows.md, "Resuming"). */
  readonly cleansUpOnResume: boolean
  /** Tasks of it add and remove node instances (`changeNodeInstances`); no other graph is let do so. */
  readonly changesNodeInstances?: boolean
  /** It undoes things: it is begun though it comes to operations that cannot run, and goes as far as it comes. */
  readonly mayStopHalfway?: boolean
  /** @throws WorkflowError when no graph can be made of this deployment. */
  build(input: BuildInput): Work<readonly StoredOperation[]>
}

/** A workflow on each deployment that is in this one (docs/reference/workflows.md, "Recursive uninstall"). */
export type ChildrenPhase = {
  readonly kind: 'children'
  readonly name: string
  readonly workflowId: 'uninstall'
  /** Of the executions of the children. */
  readonly parameters: JsonObject
  /** Children that fail do not fail this execution. */
  readonly ignoresFailure: boolean
}

/**
 * A change of the database that begins here and ends when all phases have succeeded. What it does is the domain's
 * (`workflow-actions`), found by `action`.
 */
export type ActionPhase = {
  readonly kind: 'action'
  readonly name: string
  readonly action: string
  readonly input: JsonObject
  readonly otherwise: Otherwise
}

/** What becomes of an action that has begun when not all phases succeed. */
export type Otherwise =
  /** It is undone, whether the rest failed or was cancelled. */
  | { readonly kind: 'undo' }
  /**
   * When the rest failed, these graphs run, and when they have succeeded it is undone. A cancelled execution starts nothing
   * more: there it stays as it is, and a resume goes on with it.
   */
  | { readonly kind: 'undo-after'; readonly graphs: readonly GraphPhase[] }
  /** It stays as it is, and a resume goes on with it. */
  | { readonly kind: 'keep' }

export type BuildInput = {
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
