import type { RawBuilder } from 'kysely'
import type { Database } from '../database.ts'
import type { LabelledTable } from '../labelled-table.ts'

/**
 * How a resource of the API comes out of the database: one SQL expression for each field of its shape. Lists,
 * single gets and the answers of writes all use it, so a field is spelled in one place.
 */
export type ListedResource = {
  /** Name of the model in messages: Blueprint, Deployment, … */
  readonly model: string
  /**
   * `from` clause; joins keep one row per resource. They are left joins to keys: PostgreSQL leaves those out whose columns
   * nobody asks for.
   */
  readonly from: RawBuilder<unknown>
  /**
   * The same with only what says who sees a row, where that is less, and the names of what it has less. It is used where
   * none of them is asked for: of a table whose columns a join names, PostgreSQL reads the rows, not only an index.
   */
  readonly seenFrom?: { readonly table: RawBuilder<unknown>; readonly without: readonly string[] }
  readonly fields: Readonly<Record<string, ListedField>>
  /** The field by which one is asked for, where it is not `id`. */
  readonly idField?: string
  /** Filter keys that are no fields of the shape: the column, or what must hold for any of the values. */
  readonly extraFilters?: Readonly<Record<string, RawBuilder<unknown> | ExtraFilter>>
  /** What `_search` looks in, and `_search_name`. */
  readonly search: RawBuilder<unknown>
  readonly searchName?: RawBuilder<unknown>
  readonly tenantId: RawBuilder<unknown>
  readonly createdBy: RawBuilder<unknown>
  readonly visibility: RawBuilder<unknown>
  /** What a row is of or leads to, and names: who does not see one of these sees no such row. Null where there is none. */
  readonly seenWith?: readonly Owned[]
  /** Breaks ties of the order, so that pages neither repeat nor skip a row. */
  readonly tieBreaker: RawBuilder<unknown>
  /** Where its labels are, for rules about them. */
  readonly labelled?: LabelledTable
  /** What rules about attributes compare, where it is not the field of that name. */
  readonly attributes?: Readonly<Record<string, RawBuilder<unknown>>>
  /** Lists of texts of which `any_of` wants one. */
  readonly listAttributes?: Readonly<Record<string, RawBuilder<unknown>>>
  readonly settling?: Settling
  /** Table of labels for `_sort=label:KEY`: the value of the key. */
  readonly labelValue?: (key: string, scope: Scope) => RawBuilder<unknown>
}

/** What rows are computed from and what may be behind: who reads rows is told by the same statement whether it is. */
export type Settling = {
  /** True while it is. */
  readonly isDue: RawBuilder<unknown>
  /** Brings it up to date; then the rows are read again. */
  settle(db: Database): Promise<void>
}

/** Columns that say who sees a row. */
export type Owned = Pick<ListedResource, 'tenantId' | 'createdBy' | 'visibility'>

/** What must hold for any of the values, in the eyes of who asks: a filter must not tell what a list does not show. */
export type ExtraFilter = (values: readonly unknown[], scope: Scope) => RawBuilder<unknown>

/** The SQL of a field; where it names what not everybody sees, as somebody sees it. */
export type Column = RawBuilder<unknown> | ((scope: Scope) => RawBuilder<unknown>)

export type ListedField = {
  /** What it is compared and ordered by. */
  readonly column: Column
  /** What is shown, where that is not the column as PostgreSQL writes it into JSON. */
  readonly shown?: Column
  /**
   * From the JSON of the database to what the wire shows, where SQL cannot say it; `row` holds every field that was
   * asked for. Rows without such a field are sent as the database writes them.
   */
  readonly toWire?: (value: unknown, row: Readonly<Record<string, unknown>>) => unknown
  /**
   * The same from text to text, for a single item, where parsing and writing a large value costs more than all else.
   * `row` holds what the field `needs`.
   */
  readonly written?: (text: string, row: Readonly<Record<string, unknown>>) => string
  /** Other fields whose columns `toWire` needs; names outside the shape must be in `hidden`. */
  readonly needs?: Readonly<Record<string, RawBuilder<unknown>>>
  /** Megabytes each: of such rows, few are read at once. */
  readonly isLarge?: true
  /** Compared instead of `column` by filters, where the two differ. */
  readonly filterBy?: RawBuilder<unknown>
}

/** Which rows the caller may see (docs/reference/rest-conventions.md, "Visibility"). */
export type Scope = {
  readonly username: string
  /** Tenants whose rows are listed. */
  readonly tenantIds: readonly number[]
  /** Those of them in which the caller sees everybody's private rows too. */
  readonly administeredTenantIds: readonly number[]
  /**
   * Other tenants whose global rows are listed as well: only those that have any. Mostly there are none, and then the
   * rows of a single tenant come out of its index in order.
   */
  readonly globalTenantIds: readonly number[]
}
