import type { BuildScope } from './build-scope.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { ModelNodeInstance } from './model.ts'
import { executorOf, managementQueue, pluginContext } from './operation-step.ts'
import type { OperationType, PythonHandler, StoredOperation } from './stored-operation.ts'
import { WorkflowError } from './workflow.ts'

/**
 * A task as a workflow in Python describes it (docs/reference/python-workflows.md, "Tasks"), as a new row of a graph.
 * Whoever describes it is not trusted: what is the same for all operations of an execution is not taken from it, node
 * instances are those of the deployment, and what the model knows of them is taken from there.
 *
 * @throws WorkflowError
 */
export function describedOperation(described: JsonValue, scope: BuildScope): StoredOperation {
  const given = objectOf(described, 'a task')
  const parameters = objectOf(given.parameters, 'the parameters of a task')
  const type = typeOf(given.type)
  const name = textOf(given.name, 'the name of a task')
  const kwargs = objectOf(parameters.task_kwargs ?? {}, `task_kwargs of ${name}`)
  return {
    id: idOf(given.id),
    name,
    type,
    state: 'pending',
    dependencies: [...new Set(listOf(given.dependencies ?? []).map(idOf))],
    parameters: {
      on_success: handlerOf(parameters.on_success, name),
      on_failure: handlerOf(parameters.on_failure, name),
      retried_task: null,
      current_retries: 0,
      total_retries: numberOf(parameters.total_retries, -1, `total_retries of ${name}`),
      retry_interval: numberOf(parameters.retry_interval, 0, `retry_interval of ${name}`),
      send_task_events: parameters.send_task_events !== false,
      info: parameters.info == null ? null : String(parameters.info),
      error: null,
      containing_subgraph:
        parameters.containing_subgraph == null ? null : idOf(parameters.containing_subgraph),
      task_kwargs: type === 'RemoteWorkflowTask' ? remoteKwargs(kwargs, scope) : ownKwargs(kwargs, scope),
    },
  }
}

const types: ReadonlySet<string> = new Set<OperationType>([
  'RemoteWorkflowTask',
  'LocalWorkflowTask',
  'NOPLocalWorkflowTask',
  'SubgraphTask',
  'SetNodeInstanceStateTask',
  'GetNodeInstanceStateTask',
  'SendNodeEventTask',
  'SendWorkflowEventTask',
  'UpdateExecutionStatusTask',
])

/** A class of a plugin, which runs in the workflow's own process. */
const ownType = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$/

function typeOf(value: JsonValue | undefined): OperationType {
  const type = textOf(value, 'the type of a task')
  if (types.has(type) || ownType.test(type)) return type
  throw new WorkflowError(`A workflow cannot have tasks of type ${type}.`)
}

function idOf(value: JsonValue | undefined): string {
  if (typeof value === 'string' && /^[\w-]{1,64}$/.test(value)) return value
  throw new WorkflowError(
    `The id of a task must be up to 64 letters, digits and dashes, not ${shown(value)}.`,
  )
}

/** What a function of the workflow is stored as; `ignore` is the engine's own. */
function handlerOf(value: JsonValue | undefined, name: string): PythonHandler | null {
  if (value == null) return null
  const handler = objectOf(value, `a handler of ${name}`)
  return { ...handler, path: textOf(handler.path, `the path of a handler of ${name}`), asks: 'python' }
}

/** Of tasks that are no operations; an instance that they name is one of the deployment. */
function ownKwargs(kwargs: JsonObject, scope: BuildScope): JsonObject {
  if (kwargs.node_instance_id !== undefined) instanceOf(kwargs.node_instance_id, scope)
  return kwargs
}

function remoteKwargs({ kwargs: given, task_queue, task_target }: JsonObject, scope: BuildScope): JsonObject {
  const { __cloudify_context: told, ...inputs } = objectOf(given ?? {}, 'the kwargs of an operation')
  const context = objectOf(told, 'the context of an operation')
  const instance = context.node_id == null ? null : instanceOf(context.node_id, scope)
  const operation = objectOf(context.operation ?? {}, 'the operation of a context')
  const executor = context.executor == null ? null : textOf(context.executor, 'an executor')
  const hostId = instance?.host_id ?? null
  const runsBy = executorOf(scope, { executor }, hostId)
  const target = runsBy === 'host_agent' ? hostId : managementQueue
  return {
    kwargs: {
      ...inputs,
      __cloudify_context: {
        ...scope.context,
        version: '0.3',
        type: 'operation',
        task_name: textOf(context.task_name, 'the function of an operation'),
        task_target: task_target ?? target,
        task_queue: task_queue ?? target,
        ...(instance === null ? {} : { node_id: instance.id, node_name: instance.node_id, host_id: hostId }),
        ...(context.related == null ? {} : { related: relatedOf(context.related, scope) }),
        operation: {
          name: operation.name ?? null,
          max_retries: operation.max_retries ?? null,
          relationship: operation.relationship ?? null,
        },
        has_intrinsic_functions: context.has_intrinsic_functions === true,
        executor: runsBy,
        timeout: context.timeout ?? null,
        timeout_recoverable: context.timeout_recoverable ?? null,
        plugin: pluginOf(context.plugin, instance, executor, scope),
      },
    },
    target,
  }
}

function relatedOf(value: JsonValue, scope: BuildScope): JsonObject {
  const related = objectOf(value, 'what an operation is related to')
  const instance = instanceOf(related.node_id, scope)
  return { node_id: instance.id, node_name: instance.node_id, is_target: related.is_target === true }
}

/** As the node has it, where it has one of that name. */
function pluginOf(
  value: JsonValue | undefined,
  instance: ModelNodeInstance | null,
  executor: string | null,
  scope: BuildScope,
): JsonValue {
  const given = objectOf(value ?? {}, 'the plugin of an operation')
  const plugin = given.name == null ? undefined : textOf(given.name, 'the name of a plugin')
  const node = instance === null ? undefined : scope.nodes.get(instance.node_id)
  if (plugin === undefined || node === undefined) return given
  return pluginContext(node, { plugin, executor })
}

function instanceOf(value: JsonValue | undefined, scope: BuildScope): ModelNodeInstance {
  const instance = typeof value === 'string' ? scope.instances.get(value) : undefined
  if (instance !== undefined) return instance
  throw new WorkflowError(`Node instance ${shown(value)} does not exist in this deployment.`)
}

function objectOf(value: JsonValue | undefined, what: string): JsonObject {
  if (isJsonObject(value)) return value
  throw new WorkflowError(`Of a workflow, ${what} must be an object, not ${shown(value)}.`)
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value
  throw new WorkflowError(`Of a workflow, dependencies must be a list, not ${shown(value)}.`)
}

function textOf(value: JsonValue | undefined, what: string): string {
  if (typeof value === 'string') return value
  throw new WorkflowError(`Of a workflow, ${what} must be a text, not ${shown(value)}.`)
}

function numberOf(value: JsonValue | undefined, least: number, what: string): number {
  if (value == null) return least
  if (typeof value === 'number' && value >= least) return value
  throw new WorkflowError(
    `Of a workflow, ${what} must be a number of at least ${least}, not ${shown(value)}.`,
  )
}

const shown = (value: JsonValue | undefined) => (JSON.stringify(value) ?? 'nothing').slice(0, 100)
