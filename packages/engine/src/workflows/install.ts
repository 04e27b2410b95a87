import { installSubgraph } from '../lifecycle/install.ts'
import type { Workflow } from '../workflow.ts'
import { buildLifecycleGraph } from './lifecycle-graph.ts'
import { selectionOf } from './selection.ts'

/** docs/reference/workflows.md, "Install" and "Order between instances" and "Built-in workflows". */
export const install: Workflow = {
  name: 'install',
  resumable: true,
  phases: (parameters) => {
    const selection = selectionOf(parameters)
    return [
      {
        kind: 'graph',
        name: 'install',
        cleansUpOnResume: true,
        build: (input) =>
          buildLifecycleGraph(
            {
              selection,
              ignoreFailure: false,
              direction: 'targets-first',
              subgraph: installSubgraph,
              relationshipOperation: 'establish',
            },
            input,
          ),
      },
    ]
  },
}
