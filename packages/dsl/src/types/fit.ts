import { DslError } from '../diagnostic.ts'
import { isCall } from '../functions/call.ts'
import { pythonText } from '../functions/python-text.ts'
import { isObject, type Json, member } from '../json.ts'
import { nearest } from '../language/suggest.ts'
import type { Plan } from '../plan/plan.ts'
import { misfitJson } from './check-json.ts'

/**
 * A value of a declared type, members of data types completed with their defaults (docs/reference/language/inputs.md,
 * "Values of a deployment"). Throws DSLParsingException 214.
 */
export function fitValue(value: Json, type: string, dataTypes: Plan['data_types'], name: string): Json {
  if (isCall(value)) return value
  const dataType = Object.hasOwn(dataTypes, type) ? dataTypes[type] : undefined
  if (dataType === undefined) {
    if (misfitJson(value, type) === null) return value
    throw misfit(value, type, name)
  }
  if (!isObject(value)) throw misfit(value, type, name)
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(dataType.properties, key)) continue
    const suggestion = nearest(key, Object.keys(dataType.properties))
    throw new DslError('DSLParsingException', `Undefined property ${key} in value of ${name}.`, {
      code: 214,
      suggestion,
    })
  }
  const complete: { [key: string]: Json } = {}
  for (const [key, schema] of Object.entries(dataType.properties)) {
    const own = member(value, key)
    const isData = schema.type !== undefined && Object.hasOwn(dataTypes, schema.type)
    const base =
      isData && isObject(own) && isObject(schema.default) && !isCall(own) && !isCall(schema.default)
    const start = base ? overlaid(schema.default, own) : (own ?? schema.default)
    if (start !== undefined) {
      complete[key] =
        schema.type === undefined ? start : fitValue(start, schema.type, dataTypes, `${name}.${key}`)
    } else if (schema.required !== false && value.use_external_resource !== true) {
      throw new DslError('DSLParsingException', `Value of ${name} is missing property ${key}.`, { code: 214 })
    }
  }
  return complete
}

function overlaid(base: Json | undefined, own: Json): Json {
  if (!isObject(base) || !isObject(own) || isCall(own)) return own
  const result: { [key: string]: Json } = { ...base }
  for (const [key, value] of Object.entries(own)) result[key] = overlaid(member(base, key), value)
  return result
}

function misfit(value: Json, type: string, name: string): DslError {
  return new DslError(
    'DSLParsingException',
    `Property type validation failed in '${name}': the defined type is '${type}', yet it was assigned with the value '${pythonText(value)}'`,
    { code: 214, expected: type },
  )
}
