import type { BuildScope } from '../build-scope.ts'
import type { ModelNodeInstance } from '../model.ts'
import { type Step, type SubgraphStep, sequence } from '../step.ts'
import { hostUninstall } from './host.ts'
import {
  around,
  nothing,
  operation,
  relationshipOperations,
  sendEvent,
  setState,
  stateWithEvent,
} from './instance-tasks.ts'

/** `<instance id>` (docs/reference/workflows.md, "Uninstall"). */
export function uninstallSubgraph(scope: BuildScope, instance: ModelNodeInstance): SubgraphStep {
  return {
    kind: 'subgraph',
    name: instance.id,
    steps: [stopPart(scope, instance), deletePart(scope, instance), lastStep(instance)],
    totalRetries: scope.settings.subgraphRetries,
    onFailure: {
      path: 'rerun_lifecycle',
      lifecycle: 'uninstall',
      node_instance_id: instance.id,
      ignore_failure: scope.ignoreFailure,
    },
  }
}

const stoppedStates = ['stopped', 'deleting', 'deleted', 'uninitialized', 'configured']
const neverStarted = ['uninitialized', 'configured']
const deletedStates = ['deleted', 'uninitialized']

/** Steps 1–6. */
export function stopPart(scope: BuildScope, instance: ModelNodeInstance): Step {
  const { state } = instance
  const event = (text: string) => sendEvent(instance, text)
  const noValidation = event('Validating node instance after deletion: nothing to do')
  if (stoppedStates.includes(state)) {
    return sequence(
      noValidation,
      event(`Stop: instance already ${state}`),
      neverStarted.includes(state) ? setState(instance, 'stopped') : nothing,
    )
  }
  return sequence(
    stateWithEvent(instance, 'stopping', 'Stopping node instance'),
    around(
      event('Validating node instance before deletion'),
      operation(scope, instance, 'validation.delete'),
      event('Node instance validated before deletion'),
    ) ?? noValidation,
    operation(scope, instance, 'monitoring.stop') ?? nothing,
    around(
      event('Prestopping node instance'),
      operation(scope, instance, 'lifecycle.prestop'),
      event('Node instance prestopped'),
    ) ?? nothing,
    hostUninstall(scope, instance),
    around(nothing, operation(scope, instance, 'lifecycle.stop'), event('Stopped node instance')) ??
      event('Stopped node instance: nothing to do'),
    setState(instance, 'stopped'),
  )
}

/** Steps 7–9. */
export function deletePart(scope: BuildScope, instance: ModelNodeInstance): Step {
  const event = (text: string) => sendEvent(instance, text)
  if (deletedStates.includes(instance.state)) return event(`Delete: instance already ${instance.state}`)
  return sequence(
    around(
      event('Unlinking relationships'),
      relationshipOperations(scope, instance, 'unlink'),
      event('Relationships unlinked'),
    ) ?? nothing,
    around(
      stateWithEvent(instance, 'deleting', 'Deleting node instance'),
      operation(scope, instance, 'lifecycle.delete'),
    ) ?? event('Deleting node instance: nothing to do'),
    around(
      event('Postdeleting node instance'),
      operation(scope, instance, 'lifecycle.postdelete'),
      event('Node instance postdeleted'),
    ) ?? nothing,
  )
}

function lastStep(instance: ModelNodeInstance): Step {
  if (instance.state === 'deleted') return nothing
  return stateWithEvent(instance, 'deleted', 'Deleted node instance')
}
