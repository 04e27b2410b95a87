import type { IncomingMessage } from 'node:http'
import {
  forbidden,
  type ListAnswer,
  type ListQuery,
  type Permission,
  type QueriedRouteName,
  type QueryValues,
  type Reading,
  type RouteBody,
  type RouteName,
  type RouteParams,
  type RouteQuery,
  tenantNotProvided,
} from '@tutti/api'
import type { Scope, Visibility } from '@tutti/storage'
import type { FastifyReply } from 'fastify'
import type { Caller } from './authentication/authenticate.ts'
import type { AccessView } from './authentication/directory.ts'
import type { Rights } from './authentication/rights.ts'
import type { Services } from './services.ts'

export type Tenant = {
  readonly id: number
  readonly name: string
  /** Tenants that have global resources, possibly this one among them. */
  readonly globalTenantIds: readonly number[]
}

/** A request that has been authenticated and may do what its route says. */
export type Request = {
  readonly services: Services
  readonly caller: Caller
  /** Absent only on routes that need none. */
  readonly tenant: Tenant | undefined
  /** What the caller's system roles and those in the tenant allow. */
  readonly rights: Rights
  /** What the rights were taken from. */
  readonly access: AccessView
  readonly query: QueryValues
  /** For uploads, which read the body as a stream. */
  readonly raw: IncomingMessage
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal
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

/** The tenant of a route that needs one. */
export function tenantOf(request: Request): Tenant {
  if (request.tenant === undefined) throw tenantNotProvided()
  return request.tenant
}

export function isAdministrator(request: Request): boolean {
  return request.rights.holds('administrators')
}

/** @throws forbidden_error unless the caller's roles hold the permission */
export function requirePermission(request: Request, permission: Permission): void {
  if (request.rights.holds(permission)) return
  throw forbidden(request.caller.username, permission, request.tenant?.name)
}

/** Whether a private resource is somebody else's: to this caller it does not exist. */
export function isHiddenFrom(
  request: Request,
  resource: { readonly visibility: Visibility; readonly created_by: string },
): boolean {
  return (
    resource.visibility === 'private' &&
    resource.created_by !== request.caller.username &&
    !isAdministrator(request)
  )
}

/** What the caller may see in the request's tenant, with the global resources of the others. */
export function tenantScope(request: Request): Scope {
  const { id, globalTenantIds } = tenantOf(request)
  return {
    username: request.caller.username,
    tenantIds: [id],
    administeredTenantIds: isAdministrator(request) ? [id] : [],
    globalTenantIds: globalTenantIds.filter((other) => other !== id),
  }
}

/** The same without what other tenants share: of that nothing may be changed. */
export const ownTenantScope = (request: Request): Scope => ({ ...tenantScope(request), globalTenantIds: [] })
