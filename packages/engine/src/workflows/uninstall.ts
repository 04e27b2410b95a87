import { uninstallSubgraph } from '../lifecycle/uninstall.ts'
import { type Workflow, WorkflowError } from '../workflow.ts'
import { buildLifecycleGraph } from './lifecycle-graph.ts'
import { booleanParameter, selectionOf } from './selection.ts'

/** spec/workflows.md 2.3, 2.6 and 3. */
export const uninstall: Workflow = {
  name: 'uninstall',
  resumable: true,
  phases: (parameters) => {
    const selection = selectionOf(parameters)
    const ignoreFailure = booleanParameter(parameters, 'ignore_failure', false)
    if (booleanParameter(parameters, 'recursive', false)) {
      throw new WorkflowError(
        'uninstall with recursive: true is not built yet. Uninstall the service deployments first, ' +
          'then this one without recursive.',
      )
    }
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
