import { type BuildScope, nodeOf } from '../build-scope.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { ModelNodeInstance } from '../model.ts'
import { WorkflowError } from '../workflow.ts'

/**
 * The filters of the built-in workflows (docs/reference/workflows.md, "Built-in workflows"); an empty list filters
 * nothing.
 */
export type Selection = {
  readonly typeNames: ReadonlySet<string>
  readonly nodeIds: ReadonlySet<string>
  readonly nodeInstanceIds: ReadonlySet<string>
}

export function selectionOf(parameters: JsonObject): Selection {
  return {
    typeNames: listOfNames(parameters, 'type_names'),
    nodeIds: listOfNames(parameters, 'node_ids'),
    nodeInstanceIds: listOfNames(parameters, 'node_instance_ids'),
  }
}

export function selects(selection: Selection, scope: BuildScope, instance: ModelNodeInstance): boolean {
  const { typeNames, nodeIds, nodeInstanceIds } = selection
  const types = nodeOf(scope, instance).type_hierarchy
  return (
    (typeNames.size === 0 || types.some((type) => typeNames.has(type))) &&
    (nodeIds.size === 0 || nodeIds.has(instance.node_id)) &&
    (nodeInstanceIds.size === 0 || nodeInstanceIds.has(instance.id))
  )
}

export const selecting =
  (selection: Selection) =>
  (scope: BuildScope) =>
  (instance: ModelNodeInstance): boolean =>
    selects(selection, scope, instance)

/** A single name stands for a list of it, as the command line sends it. */
export function listOfNames(parameters: JsonObject, name: string): ReadonlySet<string> {
  const value = parameters[name] ?? []
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value]
  const names = list.map((item) => {
    if (typeof item === 'string') return item
    throw new WorkflowError(`Parameter ${name} must be a list of strings, but is ${JSON.stringify(value)}.`)
  })
  return new Set(names)
}

/** @throws WorkflowError */
export function dictParameter(parameters: JsonObject, name: string): JsonObject {
  const value = parameters[name] ?? {}
  if (isJsonObject(value)) return value
  throw new WorkflowError(`Parameter ${name} must be a dict, but is ${JSON.stringify(value)}.`)
}

export function booleanParameter(parameters: JsonObject, name: string, preset: boolean): boolean {
  const value = parameters[name] ?? preset
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw new WorkflowError(`Parameter ${name} must be true or false, but is ${JSON.stringify(value)}.`)
}
