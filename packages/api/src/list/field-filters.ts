import { badParameter, unknownFilter, unknownKeys } from '../errors/messages.ts'
import { isBoolean, parseBoolean } from '../values/boolean.ts'
import { parseTimestamp } from '../values/timestamp.ts'
import { type FieldKind, type FieldTable, scalarFields } from './field-table.ts'
import { allValues, type QueryValues } from './query-value.ts'

/**
 * The field equals one of the values, so none at all fit where there are none. Several filters must all hold
 * (docs/reference/rest-conventions.md, "Field filters").
 */
export type FieldFilter = {
  readonly field: string
  readonly values: readonly (string | number | boolean | Date)[]
}

/**
 * The filters on fields: every key that neither starts with `_` nor is one of the endpoint's `own`
 * parameters; of those with `_`, what the resource counts among its filters.
 *
 * Neither true nor false is what no flag is: such a filter finds nothing, as a name does that nothing has.
 *
 * @throws bad_parameters_error for a key that is no field (unless it is passed over), and for values that do not fit it
 */
export function parseFieldFilters(
  query: QueryValues,
  table: FieldTable,
  own: readonly string[] = [],
  passesOverUnknown = false,
): readonly FieldFilter[] {
  const given = Object.keys(query).filter(
    (key) => (!key.startsWith('_') || Object.hasOwn(table.extraFilters, key)) && !own.includes(key),
  )
  const kindOf = (key: string): FieldKind | undefined =>
    table.extraFilters[key] ?? (table.filters?.includes(key) === false ? undefined : table.fields[key])
  const unknown = given.filter((key) => (kindOf(key) ?? 'json') === 'json')
  if (unknown.length > 0 && !passesOverUnknown) {
    throw table.filters === undefined
      ? unknownKeys('Filter', unknown, [...scalarFields(table), ...Object.keys(table.extraFilters)])
      : unknownFilter(unknown, table.filters)
  }
  const keys = given.filter((key) => !unknown.includes(key))
  return keys.map((field) => ({
    field,
    values: allValues(query, field).flatMap((text) => {
      const isField = !Object.hasOwn(table.extraFilters, field)
      if (isField && kindOf(field) === 'boolean' && !isBoolean(text)) return []
      return [parseValue(field, text, kindOf(field) ?? 'string')]
    }),
  }))
}

function parseValue(field: string, text: string, kind: FieldKind): string | number | boolean | Date {
  switch (kind) {
    case 'boolean':
      return parseBoolean(field, text)
    case 'datetime':
      return parseTimestamp(text)
    case 'integer': {
      const isSafe = /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))
      if (!isSafe) throw badParameter(`${field} must be an integer, got ${text}`)
      return Number(text)
    }
    case 'number': {
      const isNumber = /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text))
      if (!isNumber) throw badParameter(`${field} must be a number, got ${text}`)
      return Number(text)
    }
    default:
      return text
  }
}
