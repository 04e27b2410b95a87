import { badParameter } from '../errors/messages.ts'
import { firstValue, type QueryValues } from './query-value.ts'

export type Page = {
  /** How many items at most; also the size reported in `metadata.pagination`. */
  readonly size: number
  readonly offset: number
}

/**
 * The most that any list answers (docs/reference/rest-conventions.md, "Paging"), unless the page size is set to more.
 */
export const defaultMaxResults = 1000

/**
 * `_size` and `_offset`; `pageSize` is that of a list that names none. A larger size than the most that is answered is
 * cut silently, so that clients which go on from offset + reported size miss nothing.
 *
 * @throws bad_parameters_error
 */
export function parsePage(query: QueryValues, pageSize: number = defaultMaxResults): Page {
  const size = parseCount('_size', firstValue(query, '_size'))
  return {
    size: Math.min(size ?? pageSize, Math.max(pageSize, defaultMaxResults)),
    offset: parseCount('_offset', firstValue(query, '_offset')) ?? 0,
  }
}

function parseCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(count)) {
    throw badParameter(
      `Invalid pagination parameter ${name}: \`${text}\`. It must be an integer of 0 or more`,
    )
  }
  return count
}
