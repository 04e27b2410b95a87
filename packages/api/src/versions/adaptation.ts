import type { FieldTable } from '../list/field-table.ts'
import type { ListQuery } from '../list/list-query.ts'
import type { Route } from '../routes/route.ts'
import type { RouteName } from '../routes/table.ts'

type Fields = Readonly<Record<string, unknown>>

/** A request as a handler gets it: path, query and body, parsed. */
export type AdaptableRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly options: Fields
  readonly body: Fields | undefined
}

/**
 * What an older version does differently at one endpoint. Handlers know only the newest: the request is made into
 * theirs before, their answer into the older one after (architecture 5).
 */
export type Adaptation = {
  /** What replaces parts of the route; its schemas are what the older version's OpenAPI document shows. */
  readonly route?: Partial<
    Pick<Route, 'path' | 'aliases' | 'permission' | 'list' | 'query' | 'body' | 'response' | 'status'>
  >
  /** The handler that answers, where it is another endpoint's. */
  readonly handler?: (request: AdaptableRequest) => RouteName
  /** Changes to the request. @throws bad_parameters_error for what only the newer version allows */
  readonly request?: (request: AdaptableRequest) => Partial<AdaptableRequest>
  /** Changes to how a list is asked for, where a key means something else. */
  readonly list?: (list: ListQuery) => ListQuery
  /** The resource that a deletion answers, read before it goes, or the one that it was taken from, read after. */
  readonly resource?: {
    readonly from: RouteName
    readonly when: 'before' | 'after'
    readonly params?: (request: AdaptableRequest) => Readonly<Record<string, string>>
  }
  /** `_include` names these fields of the older shape: they are picked from the answer. */
  readonly answerFields?: FieldTable
  readonly answer?: (answer: unknown, request: AdaptableRequest) => unknown
}
