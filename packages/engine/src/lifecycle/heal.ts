import type { BuildScope } from '../build-scope.ts'
import type { ModelNodeInstance } from '../model.ts'
import type { SubgraphStep } from '../step.ts'
import { nothing, operation, sendEvent, setStatus } from './instance-tasks.ts'

/** `heal_<instance id>` (docs/reference/workflows.md, "Heal"); a failure is noted and passed over. */
export function healSubgraph(
  scope: BuildScope,
  instance: ModelNodeInstance,
  executionId: string,
): SubgraphStep {
  const run = (name: string) => operation(scope, instance, `lifecycle.${name}`) ?? nothing
  return {
    kind: 'subgraph',
    name: `heal_${instance.id}`,
    steps: [
      sendEvent(instance, 'Healing node instance'),
      run('preheal'),
      run('heal'),
      run('postheal'),
      sendEvent(instance, 'Node instance healed'),
      setStatus(instance, { ok: true, result: null, task: null, healed: true }),
    ],
    onFailure: { path: 'heal_failed', node_instance_id: instance.id, execution_id: executionId },
  }
}

export const canBeHealed = (scope: BuildScope, instance: ModelNodeInstance): boolean =>
  operation(scope, instance, 'lifecycle.heal') !== null
