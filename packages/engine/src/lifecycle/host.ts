import { type BuildScope, nodeOf } from '../build-scope.ts'
import type { ModelNodeInstance } from '../model.ts'
import { untilTruthy } from '../operation-step.ts'
import { type Step, sequence } from '../step.ts'
import { installMethod, isHost } from './agent.ts'
import { around, nothing, operation, sendEvent } from './instance-tasks.ts'

/**
 * The agent's part of a host's installation (docs/reference/workflows.md, "Hosts"); null where there is nothing to do.
 */
export function hostInstall(scope: BuildScope, instance: ModelNodeInstance): Step | null {
  const node = nodeOf(scope, instance)
  if (!isHost(node)) return null
  const method = installMethod(node)
  const state = operation(scope, instance, 'host.get_state')
  return sequenceOf([
    state === null ? null : untilTruthy(state),
    method === 'none' ? null : agentInstall(scope, instance, method),
    operation(scope, instance, 'monitoring_agent.install'),
    operation(scope, instance, 'monitoring_agent.start'),
  ])
}

function agentInstall(scope: BuildScope, instance: ModelNodeInstance, method: string): Step | null {
  const createdText = sendEvent(instance, 'Agent created')
  const create = operation(scope, instance, 'cloudify_agent.create')
  const start = operation(scope, instance, 'cloudify_agent.start')
  const startedText = sendEvent(instance, 'Agent started')
  return sequenceOf([
    around(sendEvent(instance, 'Creating agent'), create, createdText),
    method === 'plugin' || method === 'init_script'
      ? around(sendEvent(instance, 'Waiting for agent to start'), start, startedText)
      : null,
  ])
}

/** The agent is gone before the host's own `stop`. */
export function hostUninstall(scope: BuildScope, instance: ModelNodeInstance): Step {
  const node = nodeOf(scope, instance)
  if (!isHost(node)) return nothing
  const method = installMethod(node)
  const monitoring = [
    operation(scope, instance, 'monitoring_agent.stop'),
    operation(scope, instance, 'monitoring_agent.uninstall'),
  ]
  const stopName = method === 'remote' ? 'cloudify_agent.stop' : 'cloudify_agent.stop_amqp'
  const agent =
    method === 'none'
      ? []
      : [
          around(sendEvent(instance, 'Stopping agent'), operation(scope, instance, stopName)),
          around(
            sendEvent(instance, 'Deleting agent'),
            operation(scope, instance, 'cloudify_agent.delete'),
            sendEvent(instance, 'Agent deleted'),
          ),
        ]
  return sequenceOf([...monitoring, ...agent]) ?? nothing
}

function sequenceOf(steps: readonly (Step | null)[]): Step | null {
  const present = steps.filter((step) => step !== null)
  return present.length === 0 ? null : sequence(...present)
}
