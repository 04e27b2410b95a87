import { unknownKeys } from '../errors/messages.ts'
import { type FieldTable, type Sort, scalarFields } from './field-table.ts'
import { allValues, type QueryValues } from './query-value.ts'

/**
 * `_sort`: repeatable; `-` descends, `+` (or the space that an unescaped plus becomes) ascends; a leading
 * `@` is the older spelling of event fields. The default order of the resource is appended.
 *
 * @throws bad_parameters_error
 */
export function parseSort(query: QueryValues, table: FieldTable): readonly Sort[] {
  const asked = allValues(query, '_sort')
    .flatMap((value) => value.split(','))
    .map((key) => parseKey(key, table))
  const isAsked = (sort: Sort) => asked.some(({ by, key }) => by === sort.by && key === sort.key)
  return [...asked, ...table.defaultSort.filter((sort) => !isAsked(sort))]
}

function parseKey(text: string, table: FieldTable): Sort {
  const direction = text.startsWith('-') ? 'descending' : 'ascending'
  const key = text
    .replace(/^[-+ ]/, '')
    .replace(/^@/, '')
    .trim()
  if (table.sortsByLabel && key.startsWith('label:')) {
    return { by: 'label', key: key.slice('label:'.length).toLowerCase(), direction }
  }
  const allowed = scalarFields(table)
  if (!allowed.includes(key)) throw unknownKeys('Sort', [key], allowed)
  return { by: 'field', key, direction }
}
