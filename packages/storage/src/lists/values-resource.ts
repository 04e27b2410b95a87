import type { FieldKind, FieldTable } from '@tutti/api'
import { type RawBuilder, sql } from 'kysely'
import { toJson } from '../database.ts'
import { namedOnly } from './named-only.ts'
import type { ListedResource } from './resource.ts'

/**
 * What is in no table of its own, but put together from several places or is data of this release, listed as rows are:
 * pages, order, filters, search. Without an order it stays as it is given.
 */
export const valuesResource = (
  { fields }: FieldTable,
  values: readonly object[],
  searched = 'name',
): ListedResource => ({
  model: 'Value',
  from: sql`json_array_elements(${toJson(values)}::json) with ordinality as v (item, position)`,
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [name, { column: column(name, kind) }]),
  ),
  search: column(searched, 'string'),
  ...namedOnly,
  tieBreaker: sql`v.position`,
})

function column(name: string, kind: FieldKind): RawBuilder<unknown> {
  const text = sql`(v.item->>${name}::text)`
  switch (kind) {
    case 'integer':
      return sql`${text}::int`
    case 'number':
      return sql`${text}::float8`
    case 'boolean':
      return sql`${text}::boolean`
    case 'datetime':
      return sql`${text}::timestamptz`
    case 'json':
      return sql`(v.item->${name}::text)`
    case 'string':
      return text
  }
}
