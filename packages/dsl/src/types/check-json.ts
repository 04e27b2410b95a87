import { isCall } from '../functions/call.ts'
import { isList, isObject, type Json } from '../json.ts'
import { pythonRegex } from '../regex/match.ts'

/**
 * What is found instead when a JSON value does not fit a primitive type, else null (docs/reference/language/types.md,
 * "Primitive types").
 */
export function misfitJson(value: Json, type: string): string | null {
  if (isCall(value) || fits(value, type)) return null
  if (value === null) return 'null'
  return isList(value) ? 'list' : isObject(value) ? 'dict' : typeof value
}

function fits(value: Json, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'float':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return isList(value)
    case 'dict':
      return isObject(value)
    case 'regex':
      return typeof value === 'string' && pythonRegex(value) !== null
    default:
      // Text and everything that names an object accepts anything [Q].
      return true
  }
}
