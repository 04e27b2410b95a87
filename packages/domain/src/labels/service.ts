import {
  checkIdentifier,
  checkLabelKey,
  firstValue,
  parseBoolean,
  parsePage,
  type QueryValues,
  reservedLabelKeys,
} from '@tutti/api'
import { type LabelledTable, readLabels } from '@tutti/storage'
import { type Actor, ownTenantScope } from '../actor.ts'
import { pageAnswer } from '../list-answer.ts'

/**
 * Keys of a resource's labels in the tenant, or the values of one key, which begins with a letter here
 * (docs/reference/sites-filters-labels.md, "Labels" and "Label keys and values").
 */
export async function listLabels(actor: Actor, query: QueryValues, table: LabelledTable, key?: string) {
  const { services } = actor
  const page = parsePage(query, services.config.get('default_page_size'))
  const isReserved = parseBoolean('_reserved', firstValue(query, '_reserved') ?? false)
  const search = firstValue(query, '_search')
  const { items, total } = isReserved
    ? { items: reservedLabelKeys, total: reservedLabelKeys.length }
    : await readLabels(services.db, table, ownTenantScope(actor), {
        ...(key !== undefined && { key: checkLabelKey(checkIdentifier('key', key)) }),
        ...(search !== undefined && { search }),
        limit: page.size,
        offset: page.offset,
      })
  return pageAnswer(items, { total, offset: page.offset, size: page.size })
}
