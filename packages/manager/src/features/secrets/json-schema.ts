import { Script } from 'node:vm'
import { ApiError, badParameter } from '@tutti/api'
import { Check, Errors } from 'typebox/schema'

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** A user's JSON schema may hold an expression that never comes to an end, and this process serves everybody. */
const timeLimitMs = 200

type Json = Readonly<Record<string, unknown>>

/** @throws bad_parameters_error for a schema that no value could be checked by */
export function checkSchema(schema: Json): void {
  checkPart(schema, 'schema', 0)
  for (const sample of [null, '', 0, {}, []]) within(() => Check(schema, sample))
}

/**
 * The value as JSON text, if it fits the schema. A text is taken for JSON, or where that does not fit for itself.
 *
 * @throws conflict_error
 */
export function fitted(value: unknown, schema: Json): string {
  const parsed = typeof value === 'string' ? parsedOf(value) : value
  for (const candidate of parsed === undefined ? [value] : [parsed, value]) {
    if (within(() => Check(schema, candidate))) return JSON.stringify(candidate)
  }
  const [, errors] = within(() => Errors(schema, parsed ?? value))
  // Never the value itself: it is a secret.
  const where = errors[0] === undefined ? '' : `${errors[0].instancePath || '/'} ${errors[0].message}`
  throw new ApiError('conflict_error', `Error validating secret value: ${where}`)
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No JSON: the text is the value.
    return undefined
  }
}

/** The validator passes over what it does not understand; what is not a schema at all is better said at once. */
function checkPart(schema: unknown, path: string, depth: number): void {
  const wrong = (what: string) => badParameter(`Invalid secret schema: ${path} ${what}`)
  if (typeof schema === 'boolean' && depth > 0) return
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw wrong('is no schema')
  const { type, required, properties, items } = schema as Json
  const named = type === undefined ? [] : Array.isArray(type) ? type : [type]
  if (!named.every((one) => types.includes(one))) throw wrong(`has the unknown type ${JSON.stringify(type)}`)
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((one) => typeof one === 'string'))
  )
    throw wrong('has a `required` that is no list of names')
  if (properties !== undefined) {
    if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
      throw wrong('has `properties` that are no object')
    for (const [name, part] of Object.entries(properties)) checkPart(part, `${path}.${name}`, depth + 1)
  }
  if (items !== undefined)
    for (const part of Array.isArray(items) ? items : [items]) checkPart(part, `${path}.items`, depth + 1)
}

/** @throws bad_parameters_error when it takes too long, or the schema cannot be followed to its end */
function within<T>(check: () => T): T {
  const sandbox: { check: () => T; result?: T } = { check }
  try {
    new Script('result = check()').runInNewContext(sandbox, { timeout: timeLimitMs })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw badParameter('The secret schema takes too long to check')
    }
    throw badParameter(`Invalid secret schema: ${error instanceof Error ? error.message : error}`)
  }
  return sandbox.result as T
}
