import type { ListQuery } from '@tutti/api'
import type { ListedPage } from '@tutti/storage'

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
