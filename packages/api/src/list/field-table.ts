import { IsBoolean, IsInteger, IsNumber, IsString, IsUnion, type TObject, type TSchema } from 'typebox'

export type FieldKind = 'string' | 'integer' | 'number' | 'boolean' | 'datetime' | 'json'

/** Which keys a list of a resource may be asked with (docs/reference/rest-conventions.md, "Field filters"). */
export type FieldTable = {
  /** Field → what it holds. Every field may be included; all but `json` may be filtered and sorted by. */
  readonly fields: Readonly<Record<string, FieldKind>>
  /** Filter keys that are no fields, such as `deployment_group_id` and its other name `_group_id`. */
  readonly extraFilters: Readonly<Record<string, 'string' | 'boolean'>>
  /** The only fields that it is filtered by, where these are not all. */
  readonly filters: readonly string[] | undefined
  /** The order of every list, appended to the one asked for. */
  readonly defaultSort: readonly Sort[]
  /** Whether `_sort=label:KEY` is understood. */
  readonly sortsByLabel: boolean
  /** Field that `_range` takes a bare or absent name for; every datetime field is allowed. */
  readonly rangeField: string
  /** Events leave unknown names of `_include` and filters of others out instead of refusing them. */
  readonly ignoresUnknownInclude: boolean
}

export type Sort = {
  readonly by: 'field' | 'label'
  readonly key: string
  readonly direction: 'ascending' | 'descending'
}

export type FieldTableOptions = {
  readonly extraFilters?: FieldTable['extraFilters']
  readonly filters?: readonly string[]
  readonly defaultSort?: readonly Sort[]
  readonly sortsByLabel?: boolean
  readonly rangeField?: string
  readonly ignoresUnknownInclude?: boolean
}

export function fieldTable(shape: TObject, options: FieldTableOptions = {}): FieldTable {
  const fields = Object.fromEntries(
    Object.entries(shape.properties).map(([name, schema]) => [name, kindOf(schema)]),
  )
  const byCreation: readonly Sort[] =
    'created_at' in fields ? [{ by: 'field', key: 'created_at', direction: 'ascending' }] : []
  return {
    fields,
    extraFilters: options.extraFilters ?? {},
    filters: options.filters,
    defaultSort: options.defaultSort ?? byCreation,
    sortsByLabel: options.sortsByLabel ?? false,
    rangeField: options.rangeField ?? 'created_at',
    ignoresUnknownInclude: options.ignoresUnknownInclude ?? false,
  }
}

function kindOf(schema: TSchema): FieldKind {
  if (IsUnion(schema)) {
    const [first] = schema.anyOf
    const isNullable = schema.anyOf.length === 2
    return isNullable && first !== undefined ? kindOf(first) : 'json'
  }
  if (IsString(schema)) return 'format' in schema && schema.format === 'date-time' ? 'datetime' : 'string'
  if (IsInteger(schema)) return 'integer'
  if (IsNumber(schema)) return 'number'
  if (IsBoolean(schema)) return 'boolean'
  return 'json'
}

/** The keys by which the resource can be filtered and sorted. */
export const scalarFields = (table: FieldTable): readonly string[] =>
  Object.keys(table.fields).filter((name) => table.fields[name] !== 'json')
