import type { FieldTable, ListQuery } from '@tutti/api'
import { everything, type ListedPage, listPage, valuesResource } from '@tutti/storage'
import type { Request } from './request.ts'

/** The list envelope (spec/rest-spec-a.md 2.1). `size` is what was asked for, also when fewer items are left. */
export function listAnswer(query: ListQuery, page: ListedPage) {
  const { items, metadata } = unfilteredAnswer(query, page)
  return { items, metadata: { ...metadata, filtered: page.filtered ?? null } }
}

/** The same of lists that no stored filter is for. */
export function unfilteredAnswer(query: ListQuery, { items, total }: ListedPage) {
  const size = query.getAllResults ? items.length : query.page.size
  return { items, metadata: { pagination: { total, offset: query.page.offset, size } } }
}

/** A page of what is in no table, asked for like one of any other list. */
export async function valuesAnswer(
  { services, list }: Request & { readonly list: ListQuery },
  table: FieldTable,
  values: readonly object[],
  searched?: string,
) {
  return listAnswer(
    list,
    await listPage(services.db, valuesResource(table, values, searched), list, everything),
  )
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
