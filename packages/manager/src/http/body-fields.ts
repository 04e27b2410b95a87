import { badParameter, missingBodyField, parseBoolean, type WireType, wrongType } from '@tutti/api'

/**
 * Typed reads from a JSON body. A missing optional field is undefined; null counts as missing, because clients
 * send all their keys. Every reader throws bad_parameters_error (spec/rest-facts-a.md 2).
 */
type Body = Readonly<Record<string, unknown>>

export function optionalString(body: Body, field: string): string | undefined {
  const value = body[field] ?? undefined
  if (value !== undefined && typeof value !== 'string') throw wrongType(field, 'str', wireType(value))
  return value
}

export function requiredString(body: Body, field: string): string {
  const value = optionalString(body, field)
  if (value === undefined) throw missingBodyField(field)
  return value
}

export function optionalObject(body: Body, field: string): Readonly<Record<string, unknown>> | undefined {
  const value = body[field] ?? undefined
  if (value === undefined) return undefined
  if (!isObject(value)) throw wrongType(field, 'dict', wireType(value))
  return value
}

export function optionalList(body: Body, field: string): readonly unknown[] | undefined {
  const value = body[field] ?? undefined
  if (value !== undefined && !Array.isArray(value)) throw wrongType(field, 'list', wireType(value))
  return value
}

export function optionalBoolean(body: Body, field: string): boolean | undefined {
  const value = body[field] ?? undefined
  return value === undefined ? undefined : parseBoolean(field, value)
}

/** An integer of at least `least`; text of digits counts, as clients send both. */
export function optionalInteger(body: Body, field: string, least: number): number | undefined {
  const value = body[field] ?? undefined
  if (value === undefined) return undefined
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) throw wrongType(field, 'int', wireType(value))
  if (number < least || number > 2 ** 31 - 1) {
    throw badParameter(`${field} must be an integer from ${least} to ${2 ** 31 - 1}, got ${number}`)
  }
  return number
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wireType(value: unknown): WireType {
  if (value === null || value === undefined) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  switch (typeof value) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float'
    default:
      return 'dict'
  }
}
