import { buildGraph } from '../build-graph.ts'
import { type BuildScope, buildScope } from '../build-scope.ts'
import { relationshipOperations } from '../lifecycle/instance-tasks.ts'
import type { ModelNodeInstance } from '../model.ts'
import type { PlanPart, SubgraphStep, TaskStep } from '../step.ts'
import type { StoredOperation } from '../stored-operation.ts'
import { each, made, type Work } from '../work.ts'
import type { BuildInput } from '../workflow.ts'
import { instanceOrder } from './instance-order.ts'

export type LifecycleGraph = {
  /** Which instances it is about; the others are stubs. */
  readonly processed: Processed
  /** Where it is given, nothing but the processed instances and these has a place in the graph. */
  readonly related?: ReadonlySet<string>
  readonly ignoreFailure: boolean
  readonly direction: 'targets-first' | 'sources-first'
  readonly subgraph: (scope: BuildScope, instance: ModelNodeInstance) => SubgraphStep
  /** Runs for relationships of untouched instances to processed ones. */
  readonly relationshipOperation: 'establish' | 'unlink' | null
  /** Said before anything is done. */
  readonly notice?: PlanPart
}

export type Processed = (scope: BuildScope) => (instance: ModelNodeInstance) => boolean

/** One subgraph per processed instance, stubs for the others, ordered by relationships. */
export function* buildLifecycleGraph(
  graph: LifecycleGraph,
  input: BuildInput,
): Work<readonly StoredOperation[]> {
  const scope = buildScope(input, graph.ignoreFailure)
  const order = yield* instanceOrder(scope, graph.direction)
  const processed = new Set<string>()
  const isProcessed = graph.processed(scope)
  yield* each(scope.instances.values(), (instance) => {
    if (isProcessed(instance)) processed.add(instance.id)
  })
  const ofRelationships = (...of: [BuildScope, ModelNodeInstance]) =>
    graph.relationshipOperation === null
      ? null
      : relationshipOperations(...of, graph.relationshipOperation, processed)
  const { related } = graph
  const placed =
    related === undefined
      ? scope.instances.values()
      : [...scope.instances.values()].filter(({ id }) => processed.has(id) || related.has(id))
  const partOf = (instance: ModelNodeInstance) => ({
    key: instance.id,
    step: processed.has(instance.id)
      ? graph.subgraph(scope, instance)
      : stub(instance, ofRelationships(scope, instance)),
    waitsFor: order.get(instance.id) ?? [],
  })
  const { notice } = graph
  const parts = function* (): Generator<PlanPart> {
    if (notice !== undefined) yield notice
    yield* made(placed, partOf)
  }
  return yield* buildGraph({ parts: parts() }, input.newId)
}

/** A part of a graph that tells something of the whole workflow. */
export function noticePart(name: string, event: string): PlanPart {
  const type = 'SendWorkflowEventTask'
  const task: TaskStep = { kind: 'task', type, name: type, taskKwargs: { event } }
  return { key: name, step: { kind: 'subgraph', name, steps: [task] }, waitsFor: [] }
}

/** Stands for an instance outside the selection, so that indirect ordering holds. */
export function stub(
  instance: ModelNodeInstance,
  content: SubgraphStep['steps'][number] | null,
): SubgraphStep {
  return { kind: 'subgraph', name: `stub_${instance.id}`, steps: content === null ? [] : [content] }
}
