import { type BuildScope, instanceById, nodeOf, type Relationship } from './build-scope.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { installMethod } from './lifecycle/agent.ts'
import type { ModelNode, ModelNodeInstance, ModelOperation } from './model.ts'
import { type GivenInputs, operationInputs } from './operation-inputs.ts'
import { parallel, type Step, type TaskStep } from './step.ts'
import type { SuccessHandler } from './stored-operation.ts'

/** An operation of a node instance; null where its node does not implement it. */
export function nodeOperation(
  scope: BuildScope,
  instance: ModelNodeInstance,
  name: string,
  given: GivenInputs | null = null,
): TaskStep | null {
  const operation = nodeOf(scope, instance).operations[name]
  if (operation === undefined || !isImplemented(operation)) return null
  return remoteTask({ scope, instance, name, operation, given, owner: instance.id })
}

export type RelationshipSide = {
  readonly side: 'source' | 'target'
  readonly source: ModelNodeInstance
  readonly target: ModelNodeInstance
}

/** Both sides of a relationship's operation, at the same time (docs/reference/workflows.md, "Relationships"). */
export function relationshipOperation(
  scope: BuildScope,
  source: ModelNodeInstance,
  relationship: Relationship,
  name: string,
  changed: (step: TaskStep, side: RelationshipSide) => TaskStep,
): Step {
  const { declared, instance } = relationship
  const target = instanceById(scope, instance.target_id)
  const sides = [
    { operation: declared.source_operations[name], instance: source, related: target, side: 'source' },
    { operation: declared.target_operations[name], instance: target, related: source, side: 'target' },
  ] as const
  const steps: TaskStep[] = []
  for (const { operation, ...side } of sides) {
    if (operation === undefined || !isImplemented(operation)) continue
    const step = remoteTask({ scope, name, operation, given: null, owner: source.id, ...side })
    steps.push(changed(step, { side: side.side, source, target }))
  }
  return parallel(...steps)
}

/** Retried without limit until the result is truthy. */
export function untilTruthy(step: TaskStep): TaskStep {
  const onSuccess: SuccessHandler = { path: 'retry_until_truthy' }
  return { ...step, onSuccess }
}

function isImplemented({ plugin, operation }: ModelOperation): boolean {
  return plugin !== '' || operation !== ''
}

type RemoteTask = {
  readonly scope: BuildScope
  /** The executing side. */
  readonly instance: ModelNodeInstance
  readonly name: string
  readonly operation: ModelOperation
  readonly given: GivenInputs | null
  /** Node instance that an ignored failure is reported on. */
  readonly owner: string
  readonly related?: ModelNodeInstance
  readonly side?: 'source' | 'target'
}

function remoteTask({ scope, instance, name, operation, given, owner, related, side }: RemoteTask): TaskStep {
  const { taskRetries, taskRetryIntervalMs } = scope.settings
  const node = nodeOf(scope, instance)
  const hostId = instance.host_id ?? null
  const executor = executorOf(scope, operation, hostId)
  const target = executor === 'host_agent' ? hostId : managementQueue
  const totalRetries = operation.max_retries ?? taskRetries
  const context: JsonObject = {
    ...scope.context,
    version: '0.3',
    type: 'operation',
    task_name: operation.operation,
    task_target: target,
    task_queue: target,
    node_id: instance.id,
    node_name: node.id,
    host_id: hostId,
    ...(related === undefined
      ? {}
      : { related: { node_id: related.id, node_name: related.node_id, is_target: side === 'source' } }),
    operation: { name, max_retries: totalRetries, relationship: side ?? null },
    has_intrinsic_functions: operation.has_intrinsic_functions,
    executor,
    timeout: operation.timeout,
    timeout_recoverable: operation.timeout_recoverable,
    plugin: pluginContext(node, operation),
  }
  return {
    kind: 'task',
    type: 'RemoteWorkflowTask',
    name: operation.operation,
    sendTaskEvents: true,
    totalRetries,
    retryInterval: operation.retry_interval ?? taskRetryIntervalMs / 1000,
    taskKwargs: {
      kwargs: { ...operationInputs(name, operation, given), __cloudify_context: context },
      target,
    },
    ...(scope.ignoreFailure ? { onFailure: { path: 'ignore', node_instance_id: owner } } : {}),
  }
}

export const managementQueue = 'cloudify.management'

/**
 * docs/reference/operations.md, "Executor": `auto` is the host's agent where there is a host. On a host that is to have
 * no agent (`install_method: none`) such an operation could only ever fail, so it runs centrally.
 */
export function executorOf(
  scope: BuildScope,
  { executor }: Pick<ModelOperation, 'executor'>,
  hostId: string | null,
): string {
  if (executor !== 'auto' && executor !== null) return executor
  const host = hostId === null ? undefined : scope.instances.get(hostId)
  const hasAgent = host !== undefined && installMethod(nodeOf(scope, host)) !== 'none'
  return hasAgent ? 'host_agent' : 'central_deployment_agent'
}

export function pluginContext(
  node: ModelNode,
  { plugin, executor }: Pick<ModelOperation, 'plugin' | 'executor'>,
): JsonValue {
  const known = node.plugins.filter(({ name }) => name === plugin)
  const found = known.find((candidate) => candidate.executor === executor) ?? known[0]
  return {
    name: plugin,
    package_name: found?.package_name ?? null,
    package_version: found?.package_version ?? null,
    source: found?.source ?? null,
    properties: found?.properties ?? {},
    // How it is to be found and installed, where the blueprint says more than that.
    ...(found?.install === false ? { install: false } : {}),
    ...Object.fromEntries(
      installationKeys.flatMap((key) => (found?.[key] == null ? [] : [[key, found[key]]])),
    ),
  }
}

const installationKeys = [
  'install_arguments',
  'supported_platform',
  'distribution',
  'distribution_version',
  'distribution_release',
] as const
