import type { ListOf, ListRouteName, RouteItem } from '@tutti/api'
import type { Call, CallOptions, Query } from './call.ts'

export type ListOptions<Name extends ListRouteName> = CallOptions<Name>

/** One page of a list. */
export const list = async <Name extends ListRouteName>(
  call: Call,
  name: Name,
  options: ListOptions<Name> = {},
): Promise<ListOf<RouteItem<Name>>> => (await call(name, options)) as ListOf<RouteItem<Name>>

/** Every item of a list, fetched page by page while they are read. */
export async function* iterate<Name extends ListRouteName>(
  call: Call,
  name: Name,
  options: ListOptions<Name> = {},
  pageSize = 1000,
): AsyncGenerator<RouteItem<Name>, void, undefined> {
  for (let offset = 0; ; ) {
    const query: Query<Name> = { ...(options.query as Query<Name>), _offset: offset, _size: pageSize }
    const { items, metadata } = await list(call, name, { ...options, query })
    yield* items
    offset += items.length
    if (items.length === 0 || offset >= metadata.pagination.total) return
  }
}
