import { isUnresolved, rollbackSubgraph } from '../lifecycle/rollback.ts'
import type { Workflow } from '../workflow.ts'
import { booleanParameter, selectionOf, selects } from './selection.ts'
import { uninstallPhase } from './uninstall.ts'

/** docs/reference/workflows.md, "Rollback" */
export const rollback: Workflow = {
  name: 'rollback',
  resumable: true,
  phases: (parameters) => {
    const selection = selectionOf(parameters)
    return [
      uninstallPhase('rollback', {
        processed: (scope) => (instance) => isUnresolved(instance) && selects(selection, scope, instance),
        ignoreFailure: true,
        subgraph: rollbackSubgraph,
        // What leads to an instance that was never started is not linked to it yet.
        relationshipOperation: null,
      }),
      ...(booleanParameter(parameters, 'full_rollback', false)
        ? [uninstallPhase('uninstall-auninstall', { processed: () => () => true, ignoreFailure: false })]
        : []),
    ]
  },
}
