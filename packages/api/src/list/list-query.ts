import { checkIdentifier } from '../identifiers.ts'
import { parseBoolean } from '../values/boolean.ts'
import { type FieldFilter, parseFieldFilters } from './field-filters.ts'
import type { FieldTable, Sort } from './field-table.ts'
import { parseInclude } from './include.ts'
import { type Page, parsePage } from './pagination.ts'
import { firstValue, type QueryValues } from './query-value.ts'
import { parseRanges, type Range } from './range.ts'
import { parseSort } from './sort.ts'

/**
 * What a list request asks for, checked against the resource's fields (docs/reference/rest-conventions.md, "Lists").
 */
export type ListQuery = {
  readonly page: Page
  /** `_get_all_results`: no limit; `page` still says what is reported. */
  readonly getAllResults: boolean
  /** The order asked for, followed by the resource's own. */
  readonly sort: readonly Sort[]
  readonly filters: readonly FieldFilter[]
  readonly ranges: readonly Range[]
  readonly include: readonly string[] | undefined
  /** `_include` names nothing whose size is its owner's choice. */
  readonly isLight?: boolean
  /** Case-insensitive part of the id, NFKC-normalised, to be taken literally. */
  readonly search: string | undefined
  /** Like `search`, on `display_name`; a row that matches either is in the list. */
  readonly searchName: string | undefined
  readonly allTenants: boolean
  /** A stored filter whose rules are added. */
  readonly filterId: string | undefined
}

export type ListQueryOptions = {
  /** Items of a list that names no `_size`. */
  readonly pageSize?: number
  /** What `_include` names, where the list is not of the resource that it is filtered by. */
  readonly fields?: FieldTable | undefined
  /** Query keys that the endpoint reads itself. */
  readonly own?: readonly string[]
  /** Whether keys that are no fields are passed over, as searches do. */
  readonly passesOverUnknown?: boolean
}

/** A name that no filter can have is no name of one. @throws bad_parameters_error */
function filterIdOf(query: QueryValues): string | undefined {
  const id = firstValue(query, '_filter_id')
  return id === undefined ? undefined : checkIdentifier('_filter_id', id)
}

/** @throws bad_parameters_error, no_such_include_field_error */
export function parseListQuery(
  query: QueryValues,
  table: FieldTable,
  options: ListQueryOptions = {},
): ListQuery {
  const flag = (name: string) => parseBoolean(name, firstValue(query, name) ?? false)
  const text = (name: string) => firstValue(query, name)?.normalize('NFKC') || undefined
  const fields = options.fields ?? table
  const include = parseInclude(query, fields)
  return {
    page: parsePage(query, options.pageSize),
    getAllResults: flag('_get_all_results'),
    sort: parseSort(query, table),
    filters: parseFieldFilters(query, table, options.own, options.passesOverUnknown),
    ranges: parseRanges(query, table),
    include,
    isLight: include?.every((name) => fields.fields[name] !== 'json') ?? false,
    search: text('_search'),
    searchName: text('_search_name'),
    allTenants: flag('_all_tenants'),
    filterId: filterIdOf(query),
  }
}
