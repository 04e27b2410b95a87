import { unknownKeys } from '../errors/messages.ts'
import type { FieldTable } from './field-table.ts'
import { allValues, type QueryValues } from './query-value.ts'

/** `_include`: only these fields are answered; undefined means all. @throws no_such_include_field_error */
export function parseInclude(query: QueryValues, table: FieldTable): readonly string[] | undefined {
  const asked = includedNames(query)
  if (asked.length === 0) return undefined
  const known = [...new Set(asked.filter((name) => Object.hasOwn(table.fields, name)))]
  const unknown = asked.filter((name) => !Object.hasOwn(table.fields, name))
  if (unknown.length > 0 && !table.ignoresUnknownInclude) {
    throw unknownKeys('Include', unknown, Object.keys(table.fields))
  }
  return known
}

/** The names of `_include`, known or not. */
export function includedNames(query: QueryValues): readonly string[] {
  return allValues(query, '_include')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** An answer cut down to the fields asked for. */
export const pickIncluded = (
  item: Readonly<Record<string, unknown>>,
  include: readonly string[] | undefined,
): Readonly<Record<string, unknown>> =>
  include === undefined ? item : Object.fromEntries(include.map((name) => [name, item[name] ?? null]))
