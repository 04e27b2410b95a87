import type { FieldTable, ListQuery } from '@tutti/api'
import { everything, type ListedPage, listPage, valuesResource } from '@tutti/storage'
import type { Request } from './request.ts'

/** The list envelope (spec/rest-spec-a.md 2.1). `size` is what was asked for, also when fewer items are left. */
export function listAnswer(query: ListQuery, page: ListedPage) {
  const size = query.getAllResults ? page.items.length : query.page.size
  return {
    items: page.items,
    metadata: {
      pagination: { total: page.total, offset: query.page.offset, size },
      filtered: page.filtered ?? null,
    },
  }
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
export function wholeAnswer<Item>(items: readonly Item[], size = items.length) {
  return { items, metadata: { pagination: { total: items.length, offset: 0, size }, filtered: null } }
}
