import { buildGraph } from '../build-graph.ts'
import { type BuildScope, buildScope } from '../build-scope.ts'
import { relationshipOperations } from '../lifecycle/instance-tasks.ts'
import type { ModelNodeInstance } from '../model.ts'
import type { SubgraphStep } from '../step.ts'
import type { StoredOperation } from '../stored-operation.ts'
import { each, made, type Work } from '../work.ts'
import type { BuildInput } from '../workflow.ts'
import { instanceOrder } from './instance-order.ts'
import { type Selection, selects } from './selection.ts'

export type LifecycleGraph = {
  /** Or the instances themselves: then there are no stubs but for those that are `related`. */
  readonly selection: Selection | Chosen
  readonly ignoreFailure: boolean
  readonly direction: 'targets-first' | 'sources-first'
  readonly subgraph: (scope: BuildScope, instance: ModelNodeInstance) => SubgraphStep
  /** Runs for relationships of untouched instances to processed ones. */
  readonly relationshipOperation: 'establish' | 'unlink'
}

export type Chosen = { readonly ids: ReadonlySet<string>; readonly related: ReadonlySet<string> }

/** One subgraph per selected instance, stubs for the others, ordered by relationships. */
export function* buildLifecycleGraph(
  graph: LifecycleGraph,
  input: BuildInput,
): Work<readonly StoredOperation[]> {
  const scope = buildScope(input, graph.ignoreFailure)
  const order = yield* instanceOrder(scope, graph.direction)
  const processed = new Set<string>()
  const { selection } = graph
  yield* each(scope.instances.values(), (instance) => {
    const isSelected =
      'ids' in selection ? selection.ids.has(instance.id) : selects(selection, scope, instance)
    if (isSelected) processed.add(instance.id)
  })
  const all = [...scope.instances.values()]
  const placed =
    'ids' in selection ? all.filter(({ id }) => processed.has(id) || selection.related.has(id)) : all
  const partOf = (instance: ModelNodeInstance) => ({
    key: instance.id,
    step: processed.has(instance.id)
      ? graph.subgraph(scope, instance)
      : stub(instance, relationshipOperations(scope, instance, graph.relationshipOperation, processed)),
    waitsFor: order.get(instance.id) ?? [],
  })
  return yield* buildGraph({ parts: made(placed, partOf) }, input.newId)
}

/** Stands for an instance outside the selection, so that indirect ordering holds. */
export function stub(
  instance: ModelNodeInstance,
  content: SubgraphStep['steps'][number] | null,
): SubgraphStep {
  return { kind: 'subgraph', name: `stub_${instance.id}`, steps: content === null ? [] : [content] }
}
