import {
  ApiError,
  forbidden,
  isPermitted,
  lastValue,
  type Permission,
  parseBody,
  parseBoolean,
  parseInclude,
  parseListQuery,
  parseParameters,
  type QueryValues,
  type Route,
  type RouteName,
  routes,
  tenantNotProvided,
} from '@tutti/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../authentication/authenticate.ts'
import { readCredentials } from '../authentication/credentials.ts'
import { callersTenant } from '../authentication/tenant.ts'
import { listTenantsOf } from '../features/tenants/index.ts'
import type { Handlers, Request, RouteRequest, Tenant } from '../request.ts'
import type { Services } from '../services.ts'
import { readJsonBody } from './json-body.ts'

const anonymous: Caller = { userId: -1, username: '', systemRole: '', execution: undefined }

/**
 * One request, from headers to answer: authentication, tenant, permission, then query and body by the route's
 * schemas, then the feature (architecture 5). Returns what the handler answers.
 */
export async function answer<Name extends RouteName>(
  services: Services,
  handlers: Handlers,
  name: Name,
  route: Route,
  http: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const request = await authorize(services, route, http, reply)
  refuseWhileCancelling(name, request.caller)
  const routeRequest = {
    ...request,
    params: http.params,
    options: route.query === undefined ? {} : parseParameters(route.query, request.query),
    include: includeOf(name, route, request.query),
    list:
      route.list === undefined
        ? undefined
        : parseListQuery(request.query, route.list, { own: Object.keys(route.query?.properties ?? {}) }),
    body:
      route.body === 'archive' || route.body === undefined
        ? route.body
        : parseBody(route.body, await readJsonBody(http.raw, services.settings.maxBodyBytes)),
  }
  const handle = () => handlers[name](routeRequest as unknown as RouteRequest<Name>)
  return route.body === 'archive' ? handle() : repeatLostRaces(handle)
}

const maxAttempts = 3

/**
 * Two requests that each waited for what the other held: PostgreSQL ended one of them, and nothing of it is left. It is
 * begun again, which costs less than the client's asking again.
 */
async function repeatLostRaces<T>(handle: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await handle()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (attempt === maxAttempts || (code !== '40P01' && code !== '40001')) throw error
    }
  }
}

async function authorize(
  services: Services,
  route: Route,
  http: FastifyRequest,
  reply: FastifyReply,
): Promise<Request> {
  const query = http.query as QueryValues
  const base = { services, query, raw: http.raw, reply }
  if (route.permission === 'anonymous') {
    return { ...base, caller: anonymous, tenant: undefined, roles: [] }
  }
  const caller = await authenticate(services, readCredentials(http.headers))
  const found = await findTenant(services, route, http, caller)
  const roles = found?.role == null ? [caller.systemRole] : [caller.systemRole, found.role]
  const tenant: Tenant | undefined = found
  const { permission } = route
  if (permission !== 'authenticated' && !isPermitted(permission, roles)) {
    const isPermittedElsewhere =
      route.allTenants && spansTenants(query) && (await isPermittedAnywhere(services, caller, permission))
    if (!isPermittedElsewhere) throw forbidden(caller.username, permission, tenant?.name)
  }
  return { ...base, caller, tenant, roles }
}

const spansTenants = (query: QueryValues) =>
  parseBoolean('_all_tenants', lastValue(query, '_all_tenants') ?? false)

/** With `_all_tenants` any of the caller's tenants may grant it; the list then shows only those that do. */
async function isPermittedAnywhere(
  { db }: Services,
  caller: Caller,
  permission: Permission,
): Promise<boolean> {
  const tenants = await listTenantsOf(db, caller.userId)
  return tenants.some(({ role }) => role !== null && isPermitted(permission, [role]))
}

async function findTenant(services: Services, route: Route, http: FastifyRequest, caller: Caller) {
  const header = http.headers.tenant
  const name =
    route.tenant === 'path'
      ? (http.params as Record<string, string | undefined>).tenant_name
      : Array.isArray(header)
        ? header[0]
        : header
  if (name === undefined || name === '') {
    if (route.tenant === 'none') return undefined
    throw tenantNotProvided()
  }
  return callersTenant(services, caller, name)
}

/** `_include` works on single resources and on the answers of writes too, mostly by the fields of the list. */
function includeOf(name: RouteName, route: Route, query: QueryValues): readonly string[] | undefined {
  const [resource] = name.split('.')
  const table = route.fields ?? routes[`${resource}.list`]?.list
  return table === undefined ? undefined : parseInclude(query, table)
}

const starting: ReadonlySet<string> = new Set(['executions.start', 'deployments.create'])

/** An execution that is being cancelled may not leave new work behind (spec/workflows.md 5.4). */
function refuseWhileCancelling(name: RouteName, { execution }: Caller): void {
  if (execution === undefined || !execution.status.endsWith('cancelling') || !starting.has(name)) return
  throw new ApiError(
    'forbidden_while_cancelling',
    `Execution ${execution.id} is being cancelled: it may start nothing more`,
  )
}
