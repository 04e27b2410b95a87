import { IsInteger, IsNumber, IsUnion } from 'typebox'
import { Value } from 'typebox/value'
import { ApiError } from '../errors/api-error.ts'
import type { Setting } from './settings.ts'

/**
 * A value for a setting: `cfy config update` sends every value as text, so numbers and booleans may be texts
 * (docs/reference/cluster-and-configuration.md, "Configuration").
 *
 * @throws conflict_error when the schema of the setting does not allow it
 */
export function parseSettingValue(name: string, { schema }: Setting, given: unknown): unknown {
  const value = coerce(schema, given)
  if (Value.Check(schema, value)) return value
  const [problem] = Value.Errors(schema, value)
  throw new ApiError('conflict_error', `Error validating ${name}: ${problem?.message ?? 'invalid value'}`)
}

function coerce(schema: Setting['schema'], given: unknown): unknown {
  if (typeof given !== 'string') return given
  if (IsUnion(schema)) {
    return schema.anyOf.map((one) => coerce(one, given)).find((value) => value !== given) ?? given
  }
  const isNumber = IsInteger(schema) || IsNumber(schema)
  if (isNumber && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(given)) return Number(given)
  const lower = given.trim().toLowerCase()
  if ('type' in schema && schema.type === 'boolean' && (lower === 'true' || lower === 'false')) {
    return lower === 'true'
  }
  return given
}
