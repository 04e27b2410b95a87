import { badParameter, unknownKeys } from '../errors/messages.ts'
import { parseTimestamp } from '../values/timestamp.ts'
import type { FieldTable } from './field-table.ts'
import { allValues, type QueryValues } from './query-value.ts'

/** `from` is inclusive, `to` exclusive (docs/reference/rest-conventions.md, "Ranges"). */
export type Range = { readonly field: string; readonly from?: Date; readonly to?: Date }

/**
 * `_range=FIELD,START,END`: either bound may be empty, not both. The field may be any datetime field; a
 * leading `@` is the older spelling.
 *
 * @throws bad_parameters_error
 */
export function parseRanges(query: QueryValues, table: FieldTable): readonly Range[] {
  return allValues(query, '_range').map((text) => parseRange(text, table))
}

function parseRange(text: string, table: FieldTable): Range {
  const parts = text.split(',').map((part) => part.trim())
  const [name = '', from = '', to = ''] = parts
  if (parts.length !== 3 || (from === '' && to === '')) {
    throw badParameter(`Invalid range \`${text}\``, {
      hint: 'Write _range=FIELD,START,END; one of START and END may be empty',
    })
  }
  const field = name.replace(/^@/, '')
  const allowed = Object.keys(table.fields).filter((key) => table.fields[key] === 'datetime')
  if (!allowed.includes(field)) throw unknownKeys('Filter', [field], allowed)
  return {
    field,
    ...(from === '' ? {} : { from: parseTimestamp(from) }),
    ...(to === '' ? {} : { to: parseTimestamp(to) }),
  }
}
