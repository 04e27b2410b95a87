import type { JsonObject } from './json.ts'
import type {
  OperationFailureHandler,
  OperationType,
  SubgraphFailureHandler,
  SuccessHandler,
} from './stored-operation.ts'

/** A description of a graph's part, without ids: what the lifecycles are written in. */
export type Step =
  | TaskStep
  | SubgraphStep
  /** Each element waits for the one before it. An element without tasks leaves no gap. */
  | { readonly kind: 'sequence'; readonly steps: readonly Step[] }
  /** A fork whose ends join before the next element of the sequence. */
  | { readonly kind: 'parallel'; readonly steps: readonly Step[] }

export type TaskStep = {
  readonly kind: 'task'
  readonly type: OperationType
  readonly name: string
  readonly taskKwargs: JsonObject
  readonly info?: string
  readonly sendTaskEvents?: boolean
  /** −1 = without limit. */
  readonly totalRetries?: number
  /** Seconds. */
  readonly retryInterval?: number
  readonly onSuccess?: SuccessHandler
  readonly onFailure?: OperationFailureHandler
}

/** A named sequence that starts and ends as one. */
export type SubgraphStep = {
  readonly kind: 'subgraph'
  readonly name: string
  readonly steps: readonly Step[]
  readonly totalRetries?: number
  readonly onFailure?: SubgraphFailureHandler
}

/** A graph whose subgraphs wait for each other. */
export type GraphPlan = {
  /** Gone through once: parts may be made on the way. */
  readonly parts: Iterable<PlanPart>
}

export type PlanPart = {
  /** Names the part within its plan; node instance ids in the built-in workflows. */
  readonly key: string
  readonly step: SubgraphStep
  readonly waitsFor: readonly PlanEdge[]
}

export type PlanEdge = {
  readonly key: string
  /**
   * Wait only for what directly follows this operation (full name) in that part. A part that does not
   * hold the operation imposes no order (docs/reference/workflows.md, "Order between instances").
   */
  readonly afterOperation?: string
}

export function sequence(...steps: readonly Step[]): Step {
  return { kind: 'sequence', steps }
}

export function parallel(...steps: readonly Step[]): Step {
  return { kind: 'parallel', steps }
}

export function isEmpty(step: Step): boolean {
  return step.kind !== 'task' && step.steps.every(isEmpty)
}
