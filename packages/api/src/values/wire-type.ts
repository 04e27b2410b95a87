import type { WireType } from '../errors/messages.ts'

/** What a JSON value is called in messages, in the words that clients have always seen. */
export function wireTypeOf(value: unknown): WireType {
  if (value === null || value === undefined) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return 'dict'
}
