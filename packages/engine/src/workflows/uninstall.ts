import type { JsonObject } from '../json.ts'
import { uninstallSubgraph } from '../lifecycle/uninstall.ts'
import type { ChildrenPhase, GraphPhase, Workflow } from '../workflow.ts'
import { buildLifecycleGraph, type LifecycleGraph } from './lifecycle-graph.ts'
import { booleanParameter, selecting, selectionOf } from './selection.ts'

/**
 * docs/reference/workflows.md, "Uninstall" and "Order between instances" and "Built-in workflows". With `recursive`
 * the deployments in this one go first.
 */
export const uninstall: Workflow = {
  name: 'uninstall',
  resumable: true,
  phases: (parameters) => {
    const processed = selecting(selectionOf(parameters))
    const ignoreFailure = booleanParameter(parameters, 'ignore_failure', false)
    return [
      ...(parameters.recursive === true ? [children(parameters)] : []),
      uninstallPhase('uninstall', { processed, ignoreFailure }),
    ]
  },
}

/** Uninstalls these instances, or does another `subgraph` in that order; the others unlink themselves from them. */
export const uninstallPhase = (
  name: string,
  graph: Pick<LifecycleGraph, 'processed' | 'ignoreFailure'> &
    Partial<Pick<LifecycleGraph, 'subgraph' | 'relationshipOperation' | 'notice'>>,
): GraphPhase => ({
  kind: 'graph',
  name,
  cleansUpOnResume: false,
  mayStopHalfway: true,
  build: (input) =>
    buildLifecycleGraph(
      {
        direction: 'sources-first',
        subgraph: uninstallSubgraph,
        relationshipOperation: 'unlink',
        ...graph,
      },
      input,
    ),
})

function children({ ignore_failure }: JsonObject): ChildrenPhase {
  const ignoresFailure = ignore_failure === true
  return {
    kind: 'children',
    name: 'children',
    workflowId: 'uninstall',
    parameters: { recursive: true, ignore_failure: ignoresFailure },
    ignoresFailure,
  }
}
