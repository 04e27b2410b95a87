import { buildGraph } from '../build-graph.ts'
import { type BuildScope, buildScope } from '../build-scope.ts'
import type { JsonObject } from '../json.ts'
import { sendEvent } from '../lifecycle/instance-tasks.ts'
import type { ModelNodeInstance } from '../model.ts'
import { nodeOperation } from '../operation-step.ts'
import { pythonText } from '../python-text.ts'
import type { SubgraphStep } from '../step.ts'
import type { StoredOperation } from '../stored-operation.ts'
import { made, type Work } from '../work.ts'
import { type BuildInput, type GraphPhase, type Workflow, WorkflowError } from '../workflow.ts'
import { instanceOrder } from './instance-order.ts'
import { stub } from './lifecycle-graph.ts'
import { booleanParameter, dictParameter, type Selection, selectionOf, selects } from './selection.ts'

/** docs/reference/workflows.md, "Execute operation". */
export const executeOperation: Workflow = {
  name: 'execute_operation',
  resumable: true,
  phases: (parameters) => {
    const { operation } = parameters
    if (typeof operation !== 'string' || operation === '') {
      throw new WorkflowError('Parameter operation must name the operation to execute.')
    }
    return [
      executePhase({
        operation,
        kwargs: dictParameter(parameters, 'operation_kwargs'),
        allowOverride: booleanParameter(parameters, 'allow_kwargs_override', false),
        byDependencyOrder: booleanParameter(parameters, 'run_by_dependency_order', false),
        selection: selectionOf(parameters),
      }),
    ]
  },
}

export const executePhase = (request: OperationRequest): GraphPhase => ({
  kind: 'graph',
  name: `execute_operation_${request.operation}`,
  cleansUpOnResume: false,
  build: (input) => buildOperationGraph(request, input),
})

/** What start, stop, restart and pull ask for as well. */
export type OperationRequest = {
  readonly operation: string
  readonly kwargs: JsonObject
  readonly allowOverride: boolean
  readonly byDependencyOrder: boolean
  readonly selection: Selection
}

export function* buildOperationGraph(
  request: OperationRequest,
  input: BuildInput,
): Work<readonly StoredOperation[]> {
  const scope = buildScope(input)
  const order = request.byDependencyOrder ? yield* instanceOrder(scope, 'targets-first') : new Map()
  const partOf = (instance: ModelNodeInstance) => ({
    key: instance.id,
    step: operationSubgraph(request, scope, instance),
    waitsFor: order.get(instance.id) ?? [],
  })
  return yield* buildGraph({ parts: made(scope.instances.values(), partOf) }, input.newId)
}

function operationSubgraph(
  { operation, kwargs, allowOverride, selection }: OperationRequest,
  scope: BuildScope,
  instance: ModelNodeInstance,
): SubgraphStep {
  if (!selects(selection, scope, instance)) return stub(instance, null)
  const task = nodeOperation(scope, instance, operation, { kwargs, allowOverride })
  if (task === null) return stub(instance, null)
  const shown = Object.keys(kwargs).length === 0 ? '' : ` (Operation parameters: ${pythonText(kwargs)})`
  return {
    kind: 'subgraph',
    name: instance.id,
    steps: [
      sendEvent(instance, `Starting operation ${operation}${shown}`),
      task,
      sendEvent(instance, `Finished operation ${operation}`),
    ],
  }
}
