import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { ModelOperation } from './model.ts'
import { WorkflowError } from './workflow.ts'

export type GivenInputs = {
  readonly kwargs: JsonObject
  readonly allowOverride: boolean
}

/**
 * An operation's inputs with those that a workflow gives (docs/reference/operations.md, "Inputs").
 *
 * @throws WorkflowError where an input is given twice or has not its declared type.
 */
export function operationInputs(
  name: string,
  operation: ModelOperation,
  given: GivenInputs | null,
): JsonObject {
  if (given === null) return operation.inputs
  const { kwargs, allowOverride } = given
  const twice = Object.keys(kwargs).filter((key) => Object.hasOwn(operation.inputs, key))
  if (twice.length > 0 && !allowOverride) {
    throw new WorkflowError(
      `Operation ${name} has inputs of its own for ${twice.join(', ')}. ` +
        'Pass allow_kwargs_override: true to replace them.',
    )
  }
  for (const [key, value] of Object.entries(kwargs)) {
    const type = operation.inputs_types?.[key]
    if (type !== undefined && !hasType(value, type)) {
      throw new WorkflowError(
        `Input ${key} of operation ${name} must be of type ${type}, but is ${JSON.stringify(value)}.`,
      )
    }
  }
  return { ...operation.inputs, ...kwargs }
}

/** Types that the blueprint itself defines are checked by the language, not here. */
function hasType(value: JsonValue, type: string): boolean {
  if (isJsonObject(value) && Object.keys(value).length === 1) return true // may be an intrinsic function
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'integer':
      return Number.isInteger(value)
    case 'float':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'dict':
      return isJsonObject(value)
    default:
      return true
  }
}
