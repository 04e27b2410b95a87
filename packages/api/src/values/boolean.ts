import { notABoolean } from '../errors/messages.ts'

/**
 * A flag as clients send it: JSON boolean, `true`/`false` in any case (the Python client sends `True` in
 * queries and `"true"` in bodies), or 1/0 (docs/reference/rest-conventions.md, "Requests").
 *
 * @throws bad_parameters_error for anything else
 */
export function parseBoolean(field: string, value: unknown): boolean {
  const flag = booleanOf(value)
  if (flag === undefined) throw notABoolean(field, value)
  return flag
}

export const isBoolean = (value: unknown): boolean => booleanOf(value) !== undefined

function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : ''
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  return undefined
}
