import {
  type AdaptableRequest,
  ApiError,
  builtRoutes,
  firstValue,
  forbidden,
  ItemAnswer,
  ListAnswer,
  type ListQuery,
  parseBody,
  parseBoolean,
  parseInclude,
  parseListQuery,
  parseParameters,
  pickIncluded,
  type QueryValues,
  type Reading,
  type Route,
  type RouteName,
  routes,
  tenantHint,
  tenantNotProvided,
  unauthorized,
  unknownTenant,
  type VersionRoute,
  withQueriedVisibility,
} from '@tutti/api'
import { defaultTenant } from '@tutti/domain'
import type { AccessView } from '@tutti/domain/authentication'
import {
  anonymous,
  authenticate,
  boundExecution,
  type Caller,
  callersTenant,
  noTenantId,
  rightsOf,
  tenantsWith,
} from '@tutti/domain/authentication'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie, readCredentials } from '../authentication/credentials.ts'
import { withAuditedDatabase } from '../features/audit/caller.ts'
import { unlessInMaintenance } from '../features/maintenance/refusal.ts'
import type { Handlers, Request } from '../request.ts'
import type { ManagerServices } from '../services.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import { readJsonBody } from './json-body.ts'
import { readingOf } from './reading.ts'

/**
 * One request, from headers to answer: authentication, tenant, permission, then query and body by the route's
 * schemas, then the feature (architecture 5). Returns what the handler answers, as the request's version has it.
 */
export async function answer(
  services: ManagerServices,
  handlers: Handlers,
  served: VersionRoute & { readonly name: RouteName },
  http: FastifyRequest,
  reply: FastifyReply,
): Promise<{ readonly body: unknown; readonly reading: Reading }> {
  const { route, adaptation } = served
  const body = once(() => readJsonBody(http.raw, services.settings.maxBodyBytes))
  const authorized = await unlessInMaintenance(services, route, http, () =>
    authorize(services, served, http, reply, body),
  )
  const request = withAuditedDatabase(authorized, route, http)
  refuseWhileCancelling(served.name, request.caller)
  const given: AdaptableRequest = {
    params: http.params as Readonly<Record<string, string>>,
    options: route.query === undefined ? {} : parseParameters(route.query, request.query),
    body:
      route.body === 'archive' || route.body === undefined
        ? undefined
        : parseBody(route.body, withQueriedVisibility(route.body, request.query, await body())),
  }
  const name = adaptation.handler?.(given) ?? served.name
  // Who asks an older endpoint for what a newer one does needs the permission of both.
  const called = name === served.name ? undefined : routes[name]
  if (called !== undefined) {
    await checkPermission(request, called)
  }
  const { answerFields, resource } = adaptation
  // So does who gets to see what was deleted.
  if (resource !== undefined) await checkPermission(request, builtRoutes[resource.from])
  const listOf = adaptation.list ?? ((list: ListQuery) => list)
  const { _include: _, ...others } = request.query
  const query = answerFields ? others : request.query
  const included = answerFields && parseInclude(request.query, answerFields)
  const routeRequest = {
    ...request,
    ...given,
    ...adaptation.request?.(given),
    include: includeOf(name, route, query),
    list:
      route.list === undefined
        ? undefined
        : listOf(
            parseListQuery(query, route.list, {
              fields: route.fields,
              own: Object.keys(route.query?.properties ?? {}),
              passesOverUnknown: route.passesOverUnknown ?? false,
              pageSize: services.config.get('default_page_size'),
            }),
          ),
  }
  const call = (called: RouteName, params = routeRequest.params) =>
    handlers[called]({ ...routeRequest, params } as unknown as never) as Promise<unknown>
  const answersOf = (when: 'before' | 'after') =>
    resource?.when === when ? call(resource.from, resource.params?.(given)) : undefined

  const before = await answersOf('before')
  const answered = await (route.body === 'archive' ? call(name) : repeatLostRaces(() => call(name)))
  if (route.method !== 'GET' && changesAccess(name, routeRequest)) services.directory.forget()
  const result = before ?? (await answersOf('after')) ?? answered
  const { reading } = request
  if (adaptation.answer === undefined || result === undefined) return { body: result, reading }
  const value = result instanceof ItemAnswer ? result.item : result
  return { body: withOnly(adaptation.answer(value, given), included), reading }
}

type Fields = Readonly<Record<string, unknown>>

/** Of a list, or of one resource. */
function withOnly(answer: unknown, names: readonly string[] | undefined) {
  if (names === undefined) return answer
  if (answer instanceof ListAnswer) return answer.map((item: Fields) => pickIncluded(item, names))
  return pickIncluded(answer as Fields, names)
}

/** What comes next to this manager sees the change; others hear of it a moment later. */
function changesAccess(name: RouteName, { options, body }: { options: unknown; body: unknown }): boolean {
  if (/^(config|ldap|users|userGroups|tenants|tenantUsers|tenantGroups|permissions|tokens)\./.test(name))
    return true
  if (name.endsWith('.setGlobal')) return true
  return [options, body].some((one) => (one as { visibility?: unknown } | undefined)?.visibility === 'global')
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
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

/**
 * Rights are read from memory. A refusal never is: whoever was just given a role, perhaps by another manager, is not
 * told that they have none.
 */
async function authorize(
  services: ManagerServices,
  { route, hasTenants, quotesFileNames }: VersionRoute,
  http: FastifyRequest,
  reply: FastifyReply,
  body: () => Promise<unknown>,
): Promise<Request> {
  const { remembered, fresh } = services.directory
  const disconnected = disconnectSignal(reply)
  const base = {
    services,
    query: http.query as QueryValues,
    raw: http.raw,
    behalf: { kind: 'request', address: http.ip, disconnected } as const,
    reply,
    attachment: attachmentAs(quotesFileNames),
  }
  const readingAs = (key: string) => readingOf(services.readers, key, disconnected)
  const isFromCookie = route.credentials === 'cookie'
  const credentials = (isFromCookie ? readCookie : readCredentials)(http.headers)
  const needsNone =
    route.permission === 'anonymous' || (route.permission === 'optional' && credentials.kind === 'none')
  if (needsNone) {
    return {
      ...base,
      caller: anonymous,
      reading: readingAs('anonymous'),
      tenant: undefined,
      rights: rightsOf(anonymous, {}),
      access: remembered,
    }
  }
  const isLasting = route.permission === 'create_token'
  const decide = async (access: AccessView): Promise<Request> => {
    const caller = await authenticate(services, access, credentials, {
      isLasting,
      address: http.ip,
      disconnected,
    })
    const tenantName =
      route.tenant === 'body' ? tenantInBody(await body()) : tenantNameOf(route, http, hasTenants)
    const tenant = tenantName === undefined ? undefined : await callersTenant(access, caller, tenantName)
    const rights = rightsOf(caller, await access.permissions(), tenant?.id)
    const reading = readingAs(tenant === undefined ? `user ${caller.userId}` : `tenant ${tenant.id}`)
    const request = { ...base, caller, tenant, rights, access, reading }
    if (caller.execution !== undefined) http.log = http.log.child({ execution: caller.execution.id })
    // Without a tenant only system roles count: who has none that would do is told that first.
    await checkPermission(request, route)
    if (tenant === undefined && needsTenant(route)) throw tenantNotProvided()
    // What may be done without a role there may not be done in a tenant that does not exist.
    if (tenant?.id === noTenantId && needsTenant(route) && !spansTenants(request, route)) {
      throw unknownTenant(tenant.name)
    }
    return request
  }
  try {
    return await decide(remembered).catch((error: unknown) => {
      if (isForbidden(error)) return decide(fresh)
      throw error
    })
  } catch (error) {
    throw isFromCookie && isForbidden(error) ? unauthorized(error.message) : error
  }
}

const isForbidden = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'forbidden_error'

const attachmentAs = (isQuoted: boolean) => (name: string) =>
  `attachment; filename=${isQuoted ? `"${name}"` : name}`

async function checkPermission(request: Request, route: Route): Promise<void> {
  refuseBeyondTenant(route, request.caller)
  const { permission } = route
  if (permission === 'authenticated' || permission === 'anonymous' || permission === 'optional') return
  if (request.rights.holds(permission)) return
  if (route.orExecutionToken && request.caller.execution !== undefined) return
  // With `_all_tenants` any of the caller's tenants may grant it; the list then shows only those that do.
  if (
    spansTenants(request, route) &&
    (await tenantsWith(request.access, request.caller, permission)).length > 0
  )
    return
  const { caller, tenant } = request
  throw forbidden(caller.username, permission, tenant?.name, needsTenant(route) ? tenantHint : undefined)
}

const spansTenants = ({ query }: Request, { allTenants }: Route): boolean =>
  allTenants && parseBoolean('_all_tenants', firstValue(query, '_all_tenants') ?? false)

const needsTenant = ({ tenant }: Route): boolean => tenant === 'required' || tenant === 'path'

function tenantNameOf(route: Route, http: FastifyRequest, hasTenants: boolean): string | undefined {
  if (route.tenant === 'ignored') return undefined
  const header = http.raw.headers.tenant
  const name =
    route.tenant === 'path'
      ? (http.params as Record<string, string | undefined>).tenant_name
      : Array.isArray(header)
        ? header[0]
        : header
  if (name !== undefined && name !== '') return name
  // Clients of v2 know of no tenants.
  return hasTenants || route.tenant === 'none' ? undefined : defaultTenant.name
}

/** Whatever else is wrong with the body is said after the permission was checked. */
function tenantInBody(body: unknown): string | undefined {
  const name = (body as { readonly tenant_name?: unknown } | null | undefined)?.tenant_name
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** `_include` works on single resources and on the answers of writes too, mostly by the fields of the list. */
function includeOf(name: RouteName, route: Route, query: QueryValues): readonly string[] | undefined {
  const [resource] = name.split('.')
  const table = route.fields ?? route.list ?? routes[`${resource}.list`]?.list
  return table === undefined ? undefined : parseInclude(query, table)
}

const starting: ReadonlySet<string> = new Set([
  'executions.start',
  'deployments.create',
  'deploymentGroups.put',
  'deploymentGroups.update',
  'executionGroups.start',
  'deploymentUpdates.initiate',
  'deploymentUpdates.initiateByPut',
])

const isCancelled = (status: string): boolean => status.endsWith('cancelling') || status === 'cancelled'

/** An execution that is being cancelled, or was while its operations still run, may not leave new work behind. */
function refuseWhileCancelling(name: RouteName, { execution }: Caller): void {
  if (execution === undefined || !isCancelled(execution.status) || !starting.has(name)) return
  throw new ApiError(
    'forbidden_while_cancelling',
    `Execution ${execution.id} is being cancelled: it may start nothing more`,
  )
}

/**
 * An execution works in its tenant, and no longer than it runs. Users, tokens, other tenants and settings are the whole
 * manager's: what a blueprint's author writes may neither see nor change them because an administrator runs it.
 * Workflows of the manager itself may.
 */
function refuseBeyondTenant({ reach, method }: Route, caller: Caller): void {
  const execution = boundExecution(caller)
  if (execution === undefined || reach === 'tenant' || (reach === 'everybody' && method === 'GET')) return
  throw new ApiError(
    'forbidden_error',
    `The token of execution ${execution.id} is for its tenant: it reaches nothing that belongs to the whole manager`,
    { hint: 'Send the credentials of a user' },
  )
}
