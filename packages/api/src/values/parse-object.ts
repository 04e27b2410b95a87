import {
  IsArray,
  IsBoolean,
  IsInteger,
  IsNull,
  IsNumber,
  IsObject,
  IsOptional,
  IsRecord,
  IsString,
  IsUnion,
  type Static,
  type TObject,
  type TSchema,
} from 'typebox'
import { Value } from 'typebox/value'
import { badParameter, emptyUpdate, missingBodyField, type WireType, wrongType } from '../errors/messages.ts'
import { firstValue, type QueryValues } from '../list/query-value.ts'
import { parseBoolean } from './boolean.ts'
import { wireTypeOf } from './wire-type.ts'

/**
 * A JSON body as its schema wants it, with the messages that clients know (docs/reference/rest-conventions.md, "Error
 * messages"). Flags may be strings; keys that the schema does not name are left out, or refused where it allows no
 * others; an absent body counts as `{}`, which is no change where the schema is one of changes (`minProperties`).
 *
 * @throws bad_parameters_error, illegal_action_error
 */
export function parseBody<Schema extends TObject>(schema: Schema, body: unknown): Static<Schema> {
  const given = body ?? {}
  if (wireTypeOf(given) !== 'dict') throw wrongType('json request body', 'dict', wireTypeOf(given))
  if ('minProperties' in schema && Object.keys(given as object).length === 0) throw emptyUpdate()
  refuseUnknown(schema, given as object)
  return parseFields(schema, given as Readonly<Record<string, unknown>>)
}

/** Only where the schema says so: most bodies may hold keys that only other releases understand. */
function refuseUnknown(schema: TObject, given: object): void {
  if (!('additionalProperties' in schema) || schema.additionalProperties !== false) return
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(schema.properties, key))
  if (unknown.length > 0) throw badParameter(`Unknown parameters: ${unknown.join(', ')}`)
}

/**
 * The query parameters that an endpoint reads itself, from text to the types of the schema.
 *
 * @throws bad_parameters_error
 */
export function parseParameters<Schema extends TObject>(schema: Schema, query: QueryValues): Static<Schema> {
  const given = Object.entries(schema.properties).map(([name, field]) => {
    const text = IsArray(field) ? query[name] : firstValue(query, name)
    return [name, readText(field, text)] as const
  })
  return parseFields(schema, Object.fromEntries(given))
}

function parseFields<Schema extends TObject>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): Static<Schema> {
  const parsed: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = given[name]
    if (value === undefined) {
      if (!IsOptional(field)) throw missingBodyField(name)
    } else {
      parsed[name] = parseField(name, field, value)
    }
  }
  return parsed as Static<Schema>
}

function parseField(name: string, schema: TSchema, value: unknown): unknown {
  if (IsBoolean(schema)) return parseBoolean(name, value)
  if (IsUnion(schema) && schema.anyOf.some(IsNull) && schema.anyOf.some(IsBoolean)) {
    return value === null ? null : parseBoolean(name, value)
  }
  if (isTooLarge(schema, value)) throw badParameter(`${name} is invalid: the number is too large`)
  if (Value.Check(schema, value)) return value
  const expected = wireTypeFor(schema)
  const got = wireTypeOf(value)
  if (expected !== undefined && expected !== got) throw wrongType(name, expected, got)
  const [problem] = Value.Errors(schema, value)
  throw badParameter(
    `${name}${problem?.instancePath.replaceAll('/', '.') ?? ''} is invalid: ${problem?.message ?? 'wrong form'}`,
  )
}

/** Beyond these an integer is another one than was sent, and no integer at all to the database (1e+21). */
const isTooLarge = (schema: TSchema, value: unknown): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && holdsInteger(schema)

const holdsInteger = (schema: TSchema): boolean =>
  IsInteger(schema) || (IsUnion(schema) && schema.anyOf.some(IsInteger))

function readText(schema: TSchema, text: string | readonly string[] | undefined): unknown {
  if (typeof text !== 'string') return text
  if (IsInteger(schema) || IsNumber(schema)) {
    const number = Number(text)
    if (text.trim() === '') return undefined
    return Number.isNaN(number) ? text : number
  }
  if (IsArray(schema)) return [text]
  return text
}

function wireTypeFor(schema: TSchema): WireType | undefined {
  if (IsUnion(schema)) {
    const [first] = schema.anyOf
    return first === undefined ? undefined : wireTypeFor(first)
  }
  if (IsString(schema)) return 'str'
  if (IsInteger(schema)) return 'int'
  if (IsNumber(schema)) return 'float'
  if (IsArray(schema)) return 'list'
  if (IsObject(schema) || IsRecord(schema)) return 'dict'
  return undefined
}
