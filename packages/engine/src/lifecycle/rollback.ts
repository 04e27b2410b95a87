import type { BuildScope } from '../build-scope.ts'
import type { ModelNodeInstance } from '../model.ts'
import { type Step, type SubgraphStep, sequence } from '../step.ts'
import { sendEvent, setState } from './instance-tasks.ts'
import { deletePart, stopPart } from './uninstall.ts'

const unresolvedStates = ['creating', 'configuring', 'starting']

/** An installation of it has stopped half way. */
export const isUnresolved = ({ state }: ModelNodeInstance): boolean => unresolvedStates.includes(state)

/** `rollback_<instance id>` of an instance that is unresolved (docs/reference/workflows.md, "Rollback"). */
export function rollbackSubgraph(scope: BuildScope, instance: ModelNodeInstance): SubgraphStep {
  return { kind: 'subgraph', name: `rollback_${instance.id}`, steps: rollbackSteps(scope, instance) }
}

export function rollbackSteps(scope: BuildScope, instance: ModelNodeInstance): readonly Step[] {
  const { state } = instance
  const event = (text: string) => sendEvent(instance, text)
  const undone =
    state === 'starting'
      ? [
          stopPart(scope, instance),
          event(`Rollback Delete: nothing to do, instance state is ${state}`),
          setState(instance, 'configured'),
        ]
      : [
          event(`Rollback Stop: nothing to do, instance state is ${state}`),
          deletePart(scope, instance),
          setState(instance, 'uninitialized'),
        ]
  return [sequence(...undone), event('Rollbacked node instance')]
}
