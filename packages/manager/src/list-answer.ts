import type { ListQuery } from '@tutti/api'
import type { ListedPage } from '@tutti/storage'

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
