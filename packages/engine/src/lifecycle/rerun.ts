import { type BuildScope, buildScope, instanceById } from '../build-scope.ts'
import type { RerunLifecycle } from '../graph-state.ts'
import type { ModelNodeInstance } from '../model.ts'
import { changedModel } from '../node-instance-change.ts'
import type { SubgraphStep } from '../step.ts'
import type { BuildInput } from '../workflow.ts'
import { installSubgraph } from './install.ts'
import { sendEvent } from './instance-tasks.ts'
import { uninstallSubgraph } from './uninstall.ts'

/**
 * New runs of failed lifecycle subgraphs (docs/reference/workflows.md, "Failures"): an installation is undone and begun
 * again as `reinstall_<id>`, an uninstallation is repeated. For `GraphOptions.rerunLifecycle`.
 */
export function lifecycleRerun(input: Pick<BuildInput, 'model' | 'context'>): RerunLifecycle {
  return (handler, since) => {
    const model = since.changes.reduce(changedModel, input.model)
    const scope = buildScope({ ...input, model }, handler.ignore_failure)
    const known = instanceById(scope, handler.node_instance_id)
    const instance = { ...known, state: since.states.get(known.id) ?? known.state }
    switch (handler.lifecycle) {
      case 'uninstall':
        return uninstallSubgraph(scope, instance)
      case 'install':
        return reinstallSubgraph(scope, instance)
    }
  }
}

function reinstallSubgraph(scope: BuildScope, instance: ModelNodeInstance): SubgraphStep {
  const { onFailure: _, ...undo } = uninstallSubgraph(scope, instance)
  const { onFailure, ...again } = installSubgraph(scope, { ...instance, state: 'deleted' })
  return {
    kind: 'subgraph',
    name: `reinstall_${instance.id}`,
    steps: [
      sendEvent(instance, 'Node lifecycle failed. Attempting to re-run node lifecycle'),
      { ...undo, totalRetries: 0 },
      { ...again, totalRetries: 0 },
    ],
    totalRetries: scope.settings.subgraphRetries,
    ...(onFailure === undefined ? {} : { onFailure }),
  }
}
