import type { TObject, TSchema } from 'typebox'
import type { FieldTable } from '../list/field-table.ts'
import type { Permission } from '../permissions/matrix.ts'

/**
 * Served side by side; `since` of a route names the first that has it (docs/reference/rest-conventions.md, "Versions").
 */
export const apiVersions = ['v2', 'v2.1', 'v3', 'v3.1'] as const
export type ApiVersion = (typeof apiVersions)[number]

export const hasRoute = (version: ApiVersion, since: ApiVersion): boolean =>
  apiVersions.indexOf(version) >= apiVersions.indexOf(since)

/** Where the web console keeps the token of whoever is logged in. */
export const tokenCookie = 'XSRF-TOKEN'

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/VERSION` (or below the root): `:name` is a parameter, a last `*` takes the rest. */
  readonly path: string
  /** Other paths of the same endpoint. */
  readonly aliases?: readonly string[]
  readonly base: 'api' | 'root'
  readonly since: ApiVersion
  /**
   * `anonymous` needs no credentials, `authenticated` any valid ones; with `optional` there may be none, and the handler
   * says what for.
   */
  readonly permission: Permission | 'anonymous' | 'optional' | 'authenticated'
  /** The token of an execution will do, whatever its creator may still do (docs/reference/access.md, "All tenants"). */
  readonly orExecutionToken?: true
  /** Browsers ask on behalf of another service: the token in their cookie is all that counts, and every refusal 401. */
  readonly credentials?: 'cookie'
  /**
   * Where the tenant comes from: the Tenant header, the path's `:tenant_name` or the body's `tenant_name`. `none`: it
   * needs none; roles in a tenant that is named all the same count. `ignored`: only system roles do.
   */
  readonly tenant: 'required' | 'path' | 'body' | 'none' | 'ignored'
  /**
   * Whose is what the endpoint shows or changes: that of the request's tenant, of the whole manager but needed by
   * everybody who works with it, or of the whole manager and none of a tenant's business. The token of an execution
   * never reaches the last, whoever started it: what a blueprint's author wrote would act there.
   */
  readonly reach: 'tenant' | 'everybody' | 'manager'
  /**
   * `_all_tenants`: the permission may come from any of the user's tenants (docs/reference/access.md, "All tenants").
   */
  readonly allTenants: boolean
  readonly summary: string
  /** Set on lists: the common list parameters are understood for these fields. */
  readonly list?: FieldTable | undefined
  /** Filters on what is no field are passed over instead of refused, as clients of searches rely on. */
  readonly passesOverUnknown?: true
  /** The fields of the answer, where they are not those that lists of the resource are filtered by. */
  readonly fields?: FieldTable
  /** Query parameters besides those of the list. */
  readonly query?: TObject | undefined
  /** `archive`: multipart, raw bytes or none; its other parameters are those of `query`. */
  readonly body?: TObject | 'archive' | undefined
  /** `file`: a download with Content-Length and Content-Disposition. */
  readonly response: TSchema | 'empty' | 'file'
  readonly status: number
  /** false: documented, answers `not_implemented`. */
  readonly built: boolean
}

type Defaults = {
  readonly base: 'api'
  readonly since: 'v2'
  readonly tenant: 'required'
  readonly reach: 'tenant'
  readonly allTenants: false
  readonly built: true
}

/** What needs no tenant must say whose it is. */
type Whose =
  | { readonly tenant?: 'required'; readonly reach?: Route['reach'] }
  | Pick<Route, 'tenant' | 'reach'>

type Given = Omit<Route, keyof Defaults> & Partial<Pick<Route, Exclude<keyof Defaults, keyof Whose>>> & Whose

/** A route with what most have in common: in every version, of a tenant, built. */
export const route = <const R extends Given>(given: R): Omit<Defaults, keyof R> & R => ({
  base: 'api',
  since: 'v2',
  tenant: 'required',
  reach: 'tenant',
  allTenants: false,
  built: true,
  ...given,
})
