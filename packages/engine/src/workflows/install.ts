import { installSubgraph } from '../lifecycle/install.ts'
import type { GraphPhase, Workflow } from '../workflow.ts'
import { buildLifecycleGraph, type Processed } from './lifecycle-graph.ts'
import { selecting, selectionOf } from './selection.ts'

/** docs/reference/workflows.md, "Install" and "Order between instances" and "Built-in workflows". */
export const install: Workflow = {
  name: 'install',
  resumable: true,
  phases: (parameters) => [installPhase('install', selecting(selectionOf(parameters)))],
}

/** Installs these instances; the others establish their relationships to them. */
export const installPhase = (name: string, processed: Processed): GraphPhase => ({
  kind: 'graph',
  name,
  cleansUpOnResume: true,
  build: (input) =>
    buildLifecycleGraph(
      {
        processed,
        ignoreFailure: false,
        direction: 'targets-first',
        subgraph: installSubgraph,
        relationshipOperation: 'establish',
      },
      input,
    ),
})
