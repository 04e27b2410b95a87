import type { FieldTable, ListQuery } from '@tutti/api'
import { everything, listPage, valuesResource } from '@tutti/storage'
import type { Actor } from './actor.ts'

/** A page of what is in no table, asked for like one of any other list. */
export const valuesAnswer = (
  { services, list }: Actor & { readonly list: ListQuery },
  table: FieldTable,
  values: readonly object[],
  searched?: string,
) => listPage(services.db, valuesResource(table, values, searched), list, everything)

type Items<Item> = { readonly items: readonly Item[]; readonly total: number }

/**
 * The envelope of a list that is put together here, and that no stored filter is for
 * (docs/reference/rest-conventions.md, "Lists").
 */
export function unfilteredAnswer<Item>({ page, getAllResults }: ListQuery, { items, total }: Items<Item>) {
  const size = getAllResults ? items.length : page.size
  return { items, metadata: { pagination: { total, offset: page.offset, size } } }
}

/** The envelope of a list without pages: always all of it. */
export const wholeAnswer = <Item>(items: readonly Item[], size = items.length) =>
  pageAnswer(items, { total: items.length, offset: 0, size })

/** The envelope of a list with pages of its own. */
export function pageAnswer<Item>(
  items: readonly Item[],
  pagination: { readonly total: number; readonly offset: number; readonly size: number },
) {
  return { items, metadata: { pagination, filtered: null } }
}
