import { buildGraph } from '../build-graph.ts'
import { type BuildScope, buildScope } from '../build-scope.ts'
import { operation, relationshipOperations } from '../lifecycle/instance-tasks.ts'
import type { ModelNodeInstance } from '../model.ts'
import type { RelationshipSide } from '../operation-step.ts'
import type { Step, SubgraphStep, TaskStep } from '../step.ts'
import type { StoredOperation, SuccessHandler } from '../stored-operation.ts'
import type { SystemPropertyPath } from '../system-properties.ts'
import { made, type Work } from '../work.ts'
import type { BuildInput, GraphPhase, Workflow } from '../workflow.ts'
import { instanceOrder } from './instance-order.ts'
import { type Processed, stub } from './lifecycle-graph.ts'
import { booleanParameter, selecting, selectionOf } from './selection.ts'

/** docs/reference/workflows.md, "Checks" */
export const checkStatus: Workflow = {
  name: 'check_status',
  resumable: true,
  phases: (parameters) => [
    checkStatusPhase({
      processed: selecting(selectionOf(parameters)),
      byDependencyOrder: booleanParameter(parameters, 'run_by_dependency_order', false),
      ignoreFailure: false,
    }),
  ],
}

/** docs/reference/workflows.md, "Checks" */
export const checkDrift: Workflow = {
  name: 'check_drift',
  resumable: true,
  phases: (parameters) => [
    checkDriftPhase('check_drift', {
      processed: selecting(selectionOf(parameters)),
      byDependencyOrder: booleanParameter(parameters, 'run_by_dependency_order', true),
      ignoreFailure: false,
    }),
  ],
}

type Check = {
  readonly processed: Processed
  readonly byDependencyOrder: boolean
  /** Failed checks are recorded, and fail nothing. */
  readonly ignoreFailure: boolean
}

export const checkStatusPhase = (check: Check): GraphPhase => checkPhase('check_status', statusSteps, check)

export const checkDriftPhase = (name: string, check: Check): GraphPhase => checkPhase(name, driftSteps, check)

type Recorded = (step: TaskStep, nodeInstanceId: string, property: SystemPropertyPath) => TaskStep
type CheckSteps = (
  scope: BuildScope,
  instance: ModelNodeInstance,
  recorded: Recorded,
) => readonly (Step | null)[]

/** A status is what it is now: a check that fails is not tried again. */
const statusSteps: CheckSteps = (scope, instance, recorded) => {
  const step = operation(scope, instance, 'validation.check_status')
  return [step && { ...recorded(step, instance.id, ['status']), totalRetries: 0 }]
}

const driftSteps: CheckSteps = (scope, instance, recorded) => {
  const step = operation(scope, instance, 'lifecycle.check_drift')
  const ofRelationship = (one: TaskStep, { side, source, target }: RelationshipSide) =>
    side === 'source'
      ? recorded(one, source.id, ['source_relationships_configuration_drift', target.id])
      : recorded(one, target.id, ['target_relationships_configuration_drift', source.id])
  return [
    step && recorded(step, instance.id, ['configuration_drift']),
    relationshipOperations(scope, instance, 'check_drift', undefined, ofRelationship),
  ]
}

const checkPhase = (name: string, steps: CheckSteps, check: Check): GraphPhase => ({
  kind: 'graph',
  name,
  cleansUpOnResume: false,
  build: (input) => buildCheckGraph(steps, check, input),
})

function* buildCheckGraph(
  steps: CheckSteps,
  { processed, byDependencyOrder, ignoreFailure }: Check,
  input: BuildInput,
): Work<readonly StoredOperation[]> {
  const scope = buildScope(input)
  const order = byDependencyOrder ? yield* instanceOrder(scope, 'targets-first') : new Map()
  const isProcessed = processed(scope)
  const recorded: Recorded = (step, nodeInstanceId, property) => {
    const handler: SuccessHandler = {
      path: 'store_check',
      node_instance_id: nodeInstanceId,
      property,
      ignores_failure: ignoreFailure,
    }
    return { ...step, onSuccess: handler, onFailure: handler }
  }
  const subgraph = (instance: ModelNodeInstance): SubgraphStep => ({
    kind: 'subgraph',
    name: instance.id,
    steps: steps(scope, instance, recorded).filter((step) => step !== null),
  })
  const partOf = (instance: ModelNodeInstance) => ({
    key: instance.id,
    step: isProcessed(instance) ? subgraph(instance) : stub(instance, null),
    waitsFor: order.get(instance.id) ?? [],
  })
  return yield* buildGraph({ parts: made(scope.instances.values(), partOf) }, input.newId)
}
