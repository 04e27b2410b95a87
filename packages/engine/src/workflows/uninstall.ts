import type { JsonObject } from '../json.ts'
import { uninstallSubgraph } from '../lifecycle/uninstall.ts'
import type { ChildrenPhase, Workflow } from '../workflow.ts'
import { buildLifecycleGraph } from './lifecycle-graph.ts'
import { booleanParameter, selectionOf } from './selection.ts'

/**
 * docs/reference/workflows.md, "Uninstall" and "Order between instances" and "Built-in workflows". With `recursive`
 * the deployments in this one go first.
 */
export const uninstall: Workflow = {
  name: 'uninstall',
  resumable: true,
  phases: (parameters) => {
    const selection = selectionOf(parameters)
    const ignoreFailure = booleanParameter(parameters, 'ignore_failure', false)
    return [
      ...(parameters.recursive === true ? [children(parameters)] : []),
      {
        kind: 'graph',
        name: 'uninstall',
        cleansUpOnResume: false,
        mayStopHalfway: true,
        build: (input) =>
          buildLifecycleGraph(
            {
              selection,
              ignoreFailure,
              direction: 'sources-first',
              subgraph: uninstallSubgraph,
              relationshipOperation: 'unlink',
            },
            input,
          ),
      },
    ]
  },
}

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
