import type { IncomingMessage } from 'node:http'
import type {
  ListAnswer,
  ListQuery,
  QueriedRouteName,
  QueryValues,
  Reading,
  RouteBody,
  RouteName,
  RouteParams,
  RouteQuery,
} from '@tutti/api'
import type { Actor, Behalf } from '@tutti/domain'
import type { FastifyReply } from 'fastify'
import type { ManagerServices } from './services.ts'

/** A request that has been authenticated and may do what its route says: whoever acts, and what only HTTP knows. */
export type Request = Actor & {
  readonly services: ManagerServices
  readonly behalf: Extract<Behalf, { kind: 'request' }>
  readonly query: QueryValues
  /** For uploads, which read the body as a stream. */
  readonly raw: IncomingMessage
  /** For lists that may be long. */
  readonly reading: Reading
  /** For downloads, which set headers of their own. */
  readonly reply: FastifyReply
  /** The header `Content-Disposition` of a download; the name is of the characters that ids have. */
  readonly attachment: (fileName: string) => string
}

/** What a route's handler gets: the request with everything that its schemas describe, parsed. */
export type RouteRequest<Name extends RouteName> = Request & {
  readonly params: RouteParams<Name>
  readonly options: RouteQuery<Name>
  readonly body: RouteBody<Name>
  /** `_include`, on lists and on routes that answer one resource alike. */
  readonly include: readonly string[] | undefined
} & (Name extends QueriedRouteName ? { readonly list: ListQuery } : unknown)

/** Handlers by route name; each answers the body, or undefined for an empty answer. */
export type Handlers = {
  readonly [Name in RouteName]: (request: RouteRequest<Name>) => ListAnswer | Promise<unknown>
}
