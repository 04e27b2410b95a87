import { type EventSelection, type EventVocabulary, type ListQuery, parseEventTypes } from '@tutti/api'
import type { EventsQuery } from './queries.ts'

export type EventFilters = Pick<EventsQuery, 'kinds' | 'equal' | 'like' | 'ranges'> & {
  readonly vocabulary: EventSelection['vocabulary']
  /** Whether the request named a type that is one of events, not of logs. */
  readonly namesEvents: boolean
}

/**
 * The filters of a list of events, in either vocabulary of types (docs/reference/events.md, "Filters"). `event_type`
 * keeps logs out and `level` keeps events out, so both together find nothing.
 */
export function parseEventFilters(
  query: Pick<ListQuery, 'filters' | 'ranges'>,
  unnamed: EventVocabulary,
): EventFilters {
  const filters = query.filters.map(({ field, values }) => ({
    field: field === 'message.text' ? 'message' : field,
    values,
  }))
  const valuesOf = (name: string) =>
    filters.filter(({ field }) => field === name).flatMap(({ values }) => values)
  const names = valuesOf('type').map(String)
  const includeLogs = valuesOf('include_logs')[0]
  const { kinds, vocabulary } = parseEventTypes(
    names,
    typeof includeLogs === 'boolean' ? includeLogs : undefined,
    unnamed,
  )
  const has = (name: string) => filters.some(({ field }) => field === name)
  return {
    vocabulary,
    namesEvents: names.some((name) => name.endsWith('_event')),
    kinds: kinds.filter((kind) => !has(kind === 'log' ? 'event_type' : 'level')),
    equal: filters.filter(({ field }) => !special.has(field)),
    like: filters.flatMap(({ field, values }) =>
      field === 'operation' || field === 'message'
        ? values.map((pattern) => ({ field, pattern: String(pattern) }) as const)
        : [],
    ),
    ranges: query.ranges,
  }
}

const special: ReadonlySet<string> = new Set(['type', 'include_logs', 'operation', 'message'])
