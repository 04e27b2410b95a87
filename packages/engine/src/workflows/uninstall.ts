import { uninstallSubgraph } from '../lifecycle/uninstall.ts'
import type { Workflow } from '../workflow.ts'
import { buildLifecycleGraph } from './lifecycle-graph.ts'
import { booleanParameter, selectionOf } from './selection.ts'

/**
 * docs/reference/workflows.md, "Uninstall" and "Order between instances" and "Built-in workflows". With `recursive`,
 * the runner has uninstalled the deployments in this one before.
 */
export const uninstall: Workflow = {
  name: 'uninstall',
  resumable: true,
  phases: (parameters) => {
    const selection = selectionOf(parameters)
    const ignoreFailure = booleanParameter(parameters, 'ignore_failure', false)
    return [
      {
        graphName: 'uninstall',
        cleansUpOnResume: false,
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
