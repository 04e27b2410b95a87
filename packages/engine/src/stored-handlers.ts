import type { GraphOptions } from './graph-state.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { changeOf } from './node-instance-change.ts'
import {
  type FailureHandler,
  isPython,
  type OperationParameters,
  type StoredOperation,
  type SuccessHandler,
} from './stored-operation.ts'
import { isSystemPropertyPath } from './system-properties.ts'
import { WorkflowError } from './workflow.ts'

type HandlerRule = {
  /** A subgraph, or an operation that an executor runs. */
  readonly on: 'an operation' | 'a subgraph'
  /** Whether its fields can be used. */
  readonly isWhole: (handler: JsonObject) => boolean
}

/** Every handler that exists. One that is added to the union does not compile until it is here. */
const failureRules: Readonly<Record<FailureHandler['path'], HandlerRule>> = {
  ignore: { on: 'an operation', isWhole: (handler) => isText(handler.node_instance_id) },
  rerun_lifecycle: {
    on: 'a subgraph',
    isWhole: ({ lifecycle, node_instance_id, ignore_failure }) =>
      (lifecycle === 'install' || lifecycle === 'uninstall') &&
      isText(node_instance_id) &&
      typeof ignore_failure === 'boolean',
  },
  heal_failed: { on: 'a subgraph', isWhole: isNoted },
  update_failed: { on: 'a subgraph', isWhole: isNoted },
  store_check: { on: 'an operation', isWhole: isCheck },
}

const successRules: Readonly<Record<SuccessHandler['path'], HandlerRule>> = {
  retry_until_truthy: { on: 'an operation', isWhole: () => true },
  store_check: { on: 'an operation', isWhole: isCheck },
}

function isNoted({ node_instance_id, execution_id }: JsonObject): boolean {
  return isText(node_instance_id) && isText(execution_id)
}

function isCheck({ node_instance_id, property, ignores_failure }: JsonObject): boolean {
  return isText(node_instance_id) && isSystemPropertyPath(property) && typeof ignores_failure === 'boolean'
}

const isText = (value: JsonValue | undefined) => typeof value === 'string'

/**
 * Rows come from the database, where another release or a client of the API may have written them. A handler that
 * would be passed over changes what a failure means, so the graph is not begun with it.
 *
 * @throws WorkflowError
 */
export function checkStored(
  row: StoredOperation,
  options: Pick<GraphOptions, 'changesNodeInstances' | 'asksHandlers'>,
): void {
  const { on_failure, on_success, task_kwargs } = row.parameters
  const isPassed = (handler: OperationParameters['on_failure' | 'on_success']) =>
    options.asksHandlers === true && handler !== undefined && isPython(handler)
  if (!isJsonObject(task_kwargs as JsonValue | undefined)) {
    throw new WorkflowError(`The stored operation ${row.name} (${row.id}) has no task_kwargs.`)
  }
  if (row.type === 'ChangeNodeInstancesTask') checkChange(row, options)
  if (!isPassed(on_failure)) check(row, 'failure', on_failure, failureRules)
  if (!isPassed(on_success)) check(row, 'success', on_success, successRules)
}

/** Whoever may add operations to a graph of his own execution may not add instances to its deployment by that. */
function checkChange(
  { name, id, parameters }: StoredOperation,
  { changesNodeInstances }: Pick<GraphOptions, 'changesNodeInstances'>,
): void {
  const why =
    changesNodeInstances !== true
      ? 'would change node instances, which this workflow does not do'
      : changeOf(parameters.task_kwargs) === undefined
        ? 'does not say what is to become of the node instances'
        : undefined
  if (why !== undefined) throw new WorkflowError(`The stored operation ${name} (${id}) ${why}.`)
}

/** `checkStored` lets none through: what a release builds by itself has types that say where it stands. */
export function misplaced(
  { name, id }: { readonly name: string; readonly id: string },
  handler: FailureHandler,
): Error {
  return new Error(`${name} (${id}) has the failure handler ${handler.path}, which cannot stand there`)
}

function check(
  { id, name, type }: StoredOperation,
  kind: 'failure' | 'success',
  handler: unknown,
  rules: Readonly<Record<string, HandlerRule>>,
): void {
  if (handler === null || handler === undefined) return
  const given = isJsonObject(handler as JsonValue) ? (handler as JsonObject) : {}
  const path = typeof given.path === 'string' ? given.path : ''
  const rule = Object.hasOwn(rules, path) ? rules[path] : undefined
  const stands = type === 'SubgraphTask' ? 'a subgraph' : 'an operation'
  const why =
    rule === undefined
      ? `which this release does not know; it knows ${Object.keys(rules).join(', ')}`
      : rule.on !== stands
        ? `which belongs on ${rule.on}, but this is ${stands}`
        : rule.isWhole(given)
          ? undefined
          : 'whose fields are missing or have the wrong types'
  if (why === undefined) return
  throw new WorkflowError(
    `The stored operation ${name} (${id}) has the ${kind} handler ${JSON.stringify(handler)}, ${why}.`,
  )
}
