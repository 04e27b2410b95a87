import type { BuildScope } from '../build-scope.ts'
import type { ModelNodeInstance } from '../model.ts'
import type { Step, SubgraphStep } from '../step.ts'
import { hostInstall } from './host.ts'
import {
  around,
  nothing,
  operation,
  relationshipOperations,
  sendEvent,
  setState,
  stateWithEvent,
} from './instance-tasks.ts'

/** `install_<instance id>` (docs/reference/workflows.md, "Install"). */
export function installSubgraph(scope: BuildScope, instance: ModelNodeInstance): SubgraphStep {
  return {
    kind: 'subgraph',
    name: `install_${instance.id}`,
    steps: installSteps(scope, instance),
    totalRetries: scope.settings.subgraphRetries,
    onFailure: {
      path: 'rerun_lifecycle',
      lifecycle: 'install',
      node_instance_id: instance.id,
      ignore_failure: scope.ignoreFailure,
    },
  }
}

/** `real` is null where nothing is implemented; `absent` then takes its place. */
type Stage = {
  readonly real: Step | null
  readonly absent: Step
}

function installSteps(scope: BuildScope, instance: ModelNodeInstance): readonly Step[] {
  if (instance.state === 'started') return []
  const stages = installStages(scope, instance)
  if (stages.every((stage) => stage.real === null)) {
    return [stateWithEvent(instance, 'started', 'Node instance started (nothing to do)')]
  }
  return [
    setState(instance, 'initializing'),
    ...stages.map((stage) => stage.real ?? stage.absent),
    stateWithEvent(instance, 'started', 'Node instance started'),
  ]
}

const fromCreating = ['creating', 'created', 'configuring', 'configured', 'starting']
const fromCreated = fromCreating.slice(1)
const fromConfigured = ['configured', 'starting']

function installStages(scope: BuildScope, instance: ModelNodeInstance): readonly Stage[] {
  const event = (text: string) => sendEvent(instance, text)
  const run = (shortName: string) => operation(scope, instance, shortName)
  const staged = (before: string, real: (beforeText: string) => Step | null): Stage => ({
    real: real(before),
    absent: event(`${before}: nothing to do`),
  })
  const silent = (real: Step | null): Stage => ({ real, absent: nothing })
  const relationships = (
    name: 'preconfigure' | 'postconfigure' | 'establish',
    before: string,
    after: string,
  ) => silent(around(event(before), relationshipOperations(scope, instance, name), event(after)))
  const unlessIn = (states: readonly string[], ...stages: readonly Stage[]) =>
    states.includes(instance.state) ? [] : stages

  return [
    ...unlessIn(
      fromCreating,
      staged('Validating node instance before creation', (before) =>
        around(event(before), run('validation.create'), event('Node instance validated before creation')),
      ),
      staged('Precreating node instance', (before) =>
        around(event(before), run('lifecycle.precreate'), event('Node instance precreated')),
      ),
    ),
    ...unlessIn(
      fromCreated,
      staged('Creating node instance', (before) =>
        around(
          stateWithEvent(instance, 'creating', before),
          run('lifecycle.create'),
          stateWithEvent(instance, 'created', 'Node instance created'),
        ),
      ),
    ),
    ...unlessIn(
      fromConfigured,
      relationships('preconfigure', 'Pre-configuring relationships', 'Relationships pre-configured'),
      staged('Configuring node instance', (before) =>
        around(
          stateWithEvent(instance, 'configuring', before),
          run('lifecycle.configure'),
          stateWithEvent(instance, 'configured', 'Node instance configured'),
        ),
      ),
    ),
    relationships('postconfigure', 'Post-configuring relationships', 'Relationships post-configured'),
    staged('Starting node instance', (before) =>
      around(stateWithEvent(instance, 'starting', before), run('lifecycle.start')),
    ),
    silent(hostInstall(scope, instance)),
    staged('Poststarting node instance', (before) =>
      around(event(before), run('lifecycle.poststart'), event('Node instance poststarted')),
    ),
    silent(run('monitoring.start')),
    relationships('establish', 'Establishing relationships', 'Relationships established'),
  ]
}
